// Answers of the service that the views of quality, data and training show.

import type { ServedRecommendation, Status as KnownStatus } from '../../service/index.ts'

/** How well a method ranks the items that users chose next. */
export interface Quality {
  /** Judged interactions. */
  readonly examples: number
  readonly hr10: number
  readonly ndcg10: number
  readonly mrr: number
  /** The share of the catalog among the first ten of any judged user. */
  readonly coverage: number
}

export const methods = ['served', 'model', 'memory', 'popularity'] as const
export type Method = (typeof methods)[number]
export type QualityByMethod = Readonly<Record<Method, Quality>>

export const partNames = ['model', 'memory', 'popularity', 'clickRate'] as const
export type PartName = (typeof partNames)[number]
/** Of one relevance, in the order in which they are shown. */
export type Parts = Readonly<Record<PartName, number>>

export interface GroupQuality {
  readonly group: string
  /** What answers requests. */
  readonly serves: 'blend' | 'memory' | 'popularity'
  readonly blend: { readonly weights: Parts } | null
  readonly live: QualityByMethod
  readonly history: readonly (QualityByMethod & {
    readonly time: number
    readonly version: number
  })[]
}

export interface QualityReport {
  readonly groups: readonly GroupQuality[]
}

export interface TrainingStatus {
  readonly group: string
  readonly state: 'waiting' | 'running' | 'finished' | 'cancelled' | 'failed'
  readonly startedAt: number
  readonly epoch: number
  readonly epochs: number
  readonly share: number
  readonly secondsLeft: number | null
  readonly loss: number | null
  readonly validation: { readonly hr10: number; readonly ndcg10: number } | null
  readonly message?: string
}

export type Status = KnownStatus & {
  readonly training?: readonly TrainingStatus[]
  readonly quality?: unknown
}

/** What `explain` adds to an item of a recommendation. */
export interface Explanation {
  readonly parts: Parts
  readonly because: readonly { readonly item: string; readonly share: number }[]
}

export type ExplainedItem = ServedRecommendation['items'][number] & Partial<Explanation>
