// What the module exports: every kernel of contract.ts, and how to give it scratch memory.
// Kernels that threads may share take two more numbers, the first row and the row after the last.

export {
  attentionBackward,
  attentionForward,
  convolutionBackward,
  convolutionForward,
  layerNormBackward,
  layerNormForward,
} from './layers'
export { bprMaxRows, crossEntropyRows, softmaxCrossEntropy } from './loss'
export * from './constants'
export { dropoutMask, adagrad, adam, scorePairs, scorePairsBackward } from './training'
export {
  addRow,
  addScaled,
  allFinite,
  multiplyElements,
  relu,
  reluBackward,
  sumOfSquares,
  sumRows,
  gather,
  scatterAdd,
  scatterRows,
} from './algebra'
export { multiply } from './matrix-product'
export { packedBounds, packRows } from './packed-bounds'
export { peak } from './peak'
export { gruBackward, gruForward } from './recurrent'
export { dotRows, quadraticForms, rankOneUpdate, rowNorms, topN } from './scoring'
export { scoreBounds } from './score-bounds'
export { pickSlate } from './slate'
export { scratchBytes, setScratch } from './scratch'
