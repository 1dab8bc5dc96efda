// What the faces of a service work with: each is made once, by open-service.ts.

import type { Engine } from '../kernels/index.ts'
import type { CatalogView } from '../recommender/index.ts'
import type { EventStore, Position } from '../storage/index.ts'
import type { VariantTotals } from './variant-totals.ts'
import type { Split } from './variants.ts'
import type { CatalogAttributes } from './catalog-attributes.ts'
import type { CompleteSettings } from './complete-settings.ts'
import type { FilterRows } from './filter-rows.ts'
import type { Tailer } from './tailer.ts'
import type { ModelGroup } from './model-groups.ts'
import type { ModelFileProblem } from './import-model.ts'
import type { Journal } from './journal.ts'
import type { Listeners } from './listeners.ts'
import type { LiveMetrics } from './live-metrics.ts'
import type { PendingSlates } from './pending-slates.ts'
import type { ServiceQuality } from './quality.ts'
import type { TailReview } from './review-tail.ts'
import type { SeenExclusion } from './seen-exclusion.ts'
import type { LogMessage } from './settings.ts'
import type { Learner } from './learner.ts'
import type { UserNames } from './user-names.ts'

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
