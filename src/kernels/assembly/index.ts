// The exports of the module: every kernel of contract.ts, and the setup of scratch memory. Row kernels
// take two more arguments: the first row and the row after the last.

export * from './layers'
export { bprMaxRows, crossEntropyRows } from './loss'
export * from './constants'
export * from './training'
export * from './algebra'
export { multiply } from './matrix-product'
export { packedBounds, packRows } from './packed-bounds'
export { gruBackward, gruForward } from './recurrent'
export * from './scoring'
export { raiseBounds, scoreBounds } from './score-bounds'
export { pickSlate } from './slate'
export { scratchBytes, setScratch } from './scratch'
