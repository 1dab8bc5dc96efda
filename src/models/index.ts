// Sequence models: how μ and θ are learned. Knows nothing of exploration.

export { architectures, createArchitecture, modelNames } from './architectures.ts'
export type { ModelName } from './architectures.ts'
export type { History } from './batch.ts'
export { createCatalogueScorer } from './catalogue-scorer.ts'
export type { CatalogueScorer } from './catalogue-scorer.ts'
export { importEmbeddings, importGru, loadModel, saveModel } from './files/model-file.ts'
export type { EmbeddingsImportOptions, ImportOptions, NamedModel } from './files/model-file.ts'
export { embeddingsFrom, gruFromPyTorch } from './files/pytorch-import.ts'
export type { GateOrder, GruImportOptions, GruWeights } from './files/pytorch-import.ts'
export { readSafetensors } from './files/safetensors.ts'
export type { TensorFile } from './files/safetensors.ts'
export { gru4rec } from './gru4rec.ts'
export { gru4recParity } from './gru4rec-parity.ts'
export { hrnn } from './hrnn.ts'
export type { Loss, Targets } from './losses/loss.ts'
export { binaryCrossEntropy, squaredError } from './losses/reward.ts'
export { sampled } from './losses/sampled.ts'
export type { SampledOptions } from './losses/sampled.ts'
export { softmax } from './losses/softmax.ts'
export { matrixFactorisation } from './matrix-factorisation.ts'
export { mlp } from './mlp.ts'
export type { OnlineState } from './online-state.ts'
export { adagrad, denseAdagrad } from './optimisers/adagrad.ts'
export type { AdagradOptions, DenseAdagradOptions } from './optimisers/adagrad.ts'
export { adam, lazyAdam } from './optimisers/adam.ts'
export type { AdamOptions } from './optimisers/adam.ts'
export type { Optimiser } from './optimisers/optimiser.ts'
export { sasrec } from './sasrec.ts'
export { createSequenceModel } from './sequence-model.ts'
export type { Architecture, SequenceModel } from './sequence-model.ts'
export { tcn } from './tcn.ts'
export { fineTune } from './training/fine-tune.ts'
export type {
  Feedback,
  FeedbackPool,
  FineTuneOptions,
  FineTuneReport,
  HeldOutLoss,
  Observation,
} from './training/fine-tune.ts'
export { createItemDeviations } from './training/item-deviations.ts'
export type { ItemDeviations, ItemDeviationsOptions } from './training/item-deviations.ts'
export { trainSessionParallel } from './training/session-parallel.ts'
export type { SessionParallelOptions } from './training/session-parallel.ts'
export { finish, train } from './training/train.ts'
export type { TrainOptions, TrainProgress, TrainReport } from './training/train.ts'
