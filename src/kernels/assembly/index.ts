// The exports of the module: every kernel of contract.ts, further passes of some kernels, and the setup
// of scratch memory. A pass that threads share (sharing.ts) takes two more arguments: the begin and the
// end of its range.

export * from './layers'
export { bprMaxRows, crossEntropyRows } from './loss'
export * from './constants'
export * from './training'
export * from './algebra'
export { multiply, multiplyColumns } from './matrix-product'
export { packedBounds, packRows } from './packed-bounds'
export { gruBackward, gruForward, gruWeightGradients } from './recurrent'
export * from './scoring'
export { raiseBounds, scoreBounds } from './score-bounds'
export { pickSlate } from './slate'
export { scratchBytes, setScratch } from './scratch'
