// What the main thread and a training thread say to each other. A thread makes one run.

import type {
  FittedBlend,
  TrainingProgress,
  TrainingRun,
  TrainingRunResult,
} from '../../recommender/index.ts'

export interface TrainingStart extends TrainingRun {
  /** Seconds between two checkpoints, at least; they are taken at the end of an epoch. */
  readonly checkpointSeconds: number
}

export type TrainingFigures = Omit<TrainingProgress, 'checkpoint'>

export type TrainingMessage =
  | { readonly kind: 'baseline'; readonly baseline: FittedBlend }
  | { readonly kind: 'progress'; readonly figures: TrainingFigures }
  | { readonly kind: 'checkpoint'; readonly epoch: number; readonly bytes: Uint8Array }
  | { readonly kind: 'result'; readonly result: TrainingRunResult }
  | { readonly kind: 'failure'; readonly message: string; readonly code?: string }
