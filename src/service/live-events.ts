// What a service tells of while it runs: the dashboard's stream.

import type { Position } from '../storage/index.ts'
import type { ModelVersion, TrainOutcome } from './service.ts'
import type { LogMessage } from './settings.ts'
import type { TrainingStatus } from './training/training-status.ts'

export type LiveEvent =
  | {
      readonly kind: 'served'
      readonly time: number
      readonly variant: string
      readonly policy: string
      readonly user: string
      readonly recommendationId: string
      readonly items: readonly string[]
    }
  | {
      readonly kind: 'feedback'
      readonly time: number
      readonly variant: string
      readonly user: string
      readonly item: string
      readonly reward: number
      readonly position: Position
    }
  /**
   * 0 when an update begins, 1 when it has ended; its outcome is reported as `learning`. With `run`,
   * it is the progress of a full training run.
   */
  | {
      readonly kind: 'training'
      readonly group: string
      readonly share: number
      readonly run?: TrainingStatus
    }
  | { readonly kind: 'learning'; readonly group: string; readonly outcome: TrainOutcome }
  | { readonly kind: 'model'; readonly version: ModelVersion }
  | { readonly kind: 'log'; readonly message: LogMessage }
