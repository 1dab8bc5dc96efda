// Writes served slates to the log in the background. Until a slate is applied to the state, it is
// pending, so that the next request of its user takes it into account.

import type { LoggedRecommendation, ServedItem, StoredEvent } from '../../storage/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import type { Journal } from '../log/journal.ts'
import type { Tailer } from '../log/tailer.ts'
import type { ServiceRequest } from '../service.ts'
import type { ServedRecommendation } from '../schemas/recommendation.ts'
import { errorMessage, type LogMessage } from '../settings.ts'

const none: ReadonlySet<LoggedRecommendation> = new Set()

/** Slates that were served and are not applied yet, since only durable events change the state. */
export class PendingSlates {
  readonly #byId = new Map<string, LoggedRecommendation>()
  readonly #byUser = new Map<string, Set<LoggedRecommendation>>()
  /** The ids that the last promise removes. Slates of one batch share a promise. */
  #last: { readonly end: Promise<unknown>; readonly ids: string[] } | null = null

  get size(): number {
    return this.#byId.size
  }

  get(id: string): LoggedRecommendation | undefined {
    return this.#byId.get(id)
  }

  /** In order of time. */
  ofUser(user: string): ReadonlySet<LoggedRecommendation> {
    return this.#byUser.get(user) ?? none
  }

  /** The slate is pending until it is applied or `end` settles. */
  add(id: string, slate: LoggedRecommendation, end: Promise<unknown>): void {
    this.#byId.set(id, slate)
    this.#byUser.set(slate.user, (this.#byUser.get(slate.user) ?? new Set()).add(slate))
    if (this.#last?.end !== end) this.#last = { end, ids: this.#removedAfter(end) }
    this.#last.ids.push(id)
  }

  /** Removes the slates of events that are being applied. */
  follow(events: readonly StoredEvent[]): void {
    if (this.#byId.size === 0) return
    for (const { id } of events) if (id !== undefined) this.#remove(id)
  }

  /** Returns a list whose slates are removed when `end` settles. */
  #removedAfter(end: Promise<unknown>): string[] {
    const ids: string[] = []
    const ended = (): void => ids.forEach((id) => this.#remove(id))
    end.then(ended, ended)
    return ids
  }

  #remove(id: string): void {
    const slate = this.#byId.get(id)
    if (slate === undefined) return
    this.#byId.delete(id)
    const slates = this.#byUser.get(slate.user)!
    slates.delete(slate)
    if (slates.size === 0) this.#byUser.delete(slate.user)
  }
}

// Serializing the numbers of a slate is the slowest part of a request. Its items are therefore
// serialized once, for the response and for the log.

/** Serializes an object and adds items that are already JSON. */
export function withItems(rest: object, items: string): string {
  return `${JSON.stringify(rest).slice(0, -1)},"items":${items}}`
}

/** Whether JSON can represent the numbers. They are all finite if and only if their sum is. */
export const areFinite = (items: readonly ServedItem[]): boolean =>
  items.every(({ score, relevance, diversity, uncertainty, propensity = 0, boost = 0 }) =>
    Number.isFinite(score + relevance + diversity + uncertainty + propensity + boost),
  )

interface SlateWriterOptions {
  readonly journal: Pick<Journal, 'appendSoon'>
  readonly tailer: Pick<Tailer, 'applied'>
  readonly pending: PendingSlates
  readonly settings: Pick<CompleteSettings, 'clock' | 'impressions'>
  readonly logMessage: (logMessage: LogMessage) => void
}

/** Slates in one batch of the journal. */
interface Batch {
  readonly written: ReturnType<Journal['appendSoon']>
  readonly applied: Promise<void>
  slates: number
}

type Served = Pick<ServedRecommendation, 'items' | 'variant' | 'policy' | 'modelVersion'> & {
  readonly seenAllowed: boolean
}

/** Logs one error when writing fails, and one message when it works again. */
export class SlateWriter {
  readonly #options: SlateWriterOptions
  #lost = 0
  #batch: Batch | null = null

  constructor(options: SlateWriterOptions) {
    this.#options = options
  }

  /** Returns the items as JSON. The log now owns the items, so the caller must not change them. */
  write(id: string, served: Served, request: Pick<ServiceRequest, 'user' | 'context'>): string {
    const { journal, pending, settings } = this.#options
    const { items, variant, policy, modelVersion, seenAllowed } = served
    const { user, context } = request
    const facts = {
      kind: 'recommendation',
      user,
      time: settings.clock(),
      counted: settings.impressions === 'served',
      ...(seenAllowed && { seenAllowed }),
      variant,
      policy,
      modelVersion,
      ...(context !== undefined && { context }),
    } as const
    const event = { ...facts, items }
    const itemsJson = JSON.stringify(items)
    // Without JSON, the store serializes the event and refuses numbers that are not finite.
    const json = areFinite(items) ? { json: withItems(facts, itemsJson) } : {}
    const batch = this.#batchOf(journal.appendSoon({ id, event, ...json }))
    batch.slates += 1
    pending.add(id, event, batch.applied)
    return itemsJson
  }

  #batchOf(written: Batch['written']): Batch {
    if (this.#batch?.written === written) return this.#batch
    const applied = written.then(
      ({ head }) => {
        this.#succeeded()
        return this.#options.tailer.applied(head)
      },
      (error: unknown) => this.#failed(error, batch.slates),
    )
    const batch: Batch = { written, slates: 0, applied }
    this.#batch = batch
    return batch
  }

  #failed(error: unknown, slates: number): void {
    const isFirst = this.#lost === 0
    this.#lost += slates
    if (!isFirst) return
    this.#options.logMessage(errorMessage('error', 'served slates cannot be recorded', error))
  }

  #succeeded(): void {
    if (this.#lost === 0) return
    const message = `served slates are recorded again; ${this.#lost} were lost`
    this.#options.logMessage({ level: 'warning', message })
    this.#lost = 0
  }
}
