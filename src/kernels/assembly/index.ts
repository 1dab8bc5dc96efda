// What the module exports: every kernel of contract.ts, and how to give it scratch memory.
// Kernels that threads may share take two more numbers, the first row and the row after the last.

export { attentionBackward, attentionForward } from './attention'
export { bprMaxRows } from './bpr-max'
export * from './constants'
export { convolutionBackward, convolutionForward } from './convolution'
export { dropoutMask } from './dropout'
export {
  addRow,
  addScaled,
  allFinite,
  multiplyElements,
  relu,
  reluBackward,
  sumOfSquares,
  sumRows,
} from './elementwise'
export { gather, scatterAdd, scatterRows } from './embedding-rows'
export { layerNormBackward, layerNormForward } from './layer-norm'
export { multiply } from './matrix-product'
export { adagrad, adam } from './optimizer'
export { scorePairs, scorePairsBackward } from './pair-scores'
export { packedBounds } from './packed-bounds'
export { packRows } from './packed-rows'
export { peak } from './peak'
export { gruBackward } from './gru-backward'
export { gruForward } from './gru-forward'
export { dotRows, quadraticForms, rankOneUpdate, rowNorms, topN } from './scoring'
export { scoreBounds } from './score-bounds'
export { pickSlate } from './slate'
export { scratchBytes, setScratch } from './scratch'
export { crossEntropyRows, softmaxCrossEntropy } from './softmax'
