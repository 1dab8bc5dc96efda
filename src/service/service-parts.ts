// What the faces of a service work with: each is made once, by open-service.ts.

import type { Engine } from '../kernels/index.ts'
import type { CatalogView } from '../recommender/index.ts'
import type { EventStore, Position } from '../storage/index.ts'
import type { CatalogAttributes } from './serving/catalog-attributes.ts'
import type { VariantTotals } from './metrics/compare-variants.ts'
import type { CompleteSettings } from './complete-settings.ts'
import type { FilterRows } from './serving/filter.ts'
import type { ModelFileProblem } from './state/import-model.ts'
import type { Journal } from './log/journal.ts'
import type { Learner } from './learning/learner-types.ts'
import type { Listeners } from './metrics/listeners.ts'
import type { LiveMetrics } from './metrics/live-metrics.ts'
import type { ModelGroup } from './state/model-groups.ts'
import type { PendingSlates } from './serving/pending-slates.ts'
import type { ServiceQuality } from './metrics/quality.ts'
import type { TailReview } from './log/review-tail.ts'
import type { SeenExclusion } from './serving/seen-exclusion.ts'
import type { LogMessage } from './settings.ts'
import type { Tailer } from './log/tailer.ts'
import type { UserNames } from './serving/user-names.ts'
import type { Split } from './serving/variants.ts'

export interface ServiceParts extends OpenParts {
  /** Refuses whatever comes after the end. */
  requireOpen(): void
}

export interface OpenParts {
  readonly settings: CompleteSettings
  readonly engine: Engine
  readonly store: EventStore
  readonly split: Split
  readonly groups: readonly ModelGroup[]
  /** The group of a variant. */
  groupOf(variant: string): ModelGroup
  /** Every group has the same rows. */
  readonly catalog: CatalogView
  readonly attributes: CatalogAttributes
  readonly filterRows: FilterRows
  readonly tailer: Tailer
  readonly journal: Journal
  readonly pendingSlates: PendingSlates
  readonly learner: Learner
  readonly review: TailReview
  readonly quality: ServiceQuality
  /** As they were at the start. */
  readonly fileProblems: readonly ModelFileProblem[]
  readonly seenExclusion: SeenExclusion
  readonly totals: VariantTotals
  readonly userNames: UserNames
  readonly metrics: LiveMetrics
  readonly listeners: Listeners
  readonly logMessage: (logMessage: LogMessage) => void
  /** Of the state that it began with. */
  readonly restoredPosition: Position
}
