// Slates after they were picked: they are written to the log behind the answer, and until they are
// applied they are pending, since to their users they were shown when they were served.

import type { LoggedRecommendation, ServedItem, StoredEvent } from '../../storage/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import type { Journal } from '../log/journal.ts'
import type { Tailer } from '../log/tailer.ts'
import type { ServiceRequest } from '../service.ts'
import type { ServedRecommendation } from '../schemas/recommendation.ts'
import type { LogMessage } from '../settings.ts'

const none: ReadonlySet<LoggedRecommendation> = new Set()

/** Slates that were handed out and are not applied yet: state changes only by durable events. */
export class PendingSlates {
  readonly #byId = new Map<string, LoggedRecommendation>()
  readonly #byUser = new Map<string, Set<LoggedRecommendation>>()
  /** The slates of the last end: many are written together, and share one. */
  #last: { readonly end: Promise<unknown>; readonly ids: string[] } | null = null

  get size(): number {
    return this.#byId.size
  }

  get(id: string): LoggedRecommendation | undefined {
    return this.#byId.get(id)
  }

  /** In the order in which they were served. */
  ofUser(user: string): ReadonlySet<LoggedRecommendation> {
    return this.#byUser.get(user) ?? none
  }

  /** From here on until it is applied, or `end` has come, whichever way. */
  add(id: string, slate: LoggedRecommendation, end: Promise<unknown>): void {
    this.#byId.set(id, slate)
    this.#byUser.set(slate.user, (this.#byUser.get(slate.user) ?? new Set()).add(slate))
    if (this.#last?.end !== end) this.#last = { end, ids: this.#removedAfter(end) }
    this.#last.ids.push(id)
  }

  /** These are part of the state now. */
  follow(events: readonly StoredEvent[]): void {
    if (this.#byId.size === 0) return
    for (const { id } of events) if (id !== undefined) this.#remove(id)
  }

  /** A list whose slates go when the end has come. */
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

// The JSON of a slate. Writing its numbers is the slowest part of a request, so it is written once, for
// the response and for the log.

/** An object as JSON, with items whose JSON is there already. */
export function withItems(rest: object, items: string): string {
  return `${JSON.stringify(rest).slice(0, -1)},"items":${items}}`
}

/** Whether JSON holds the numbers: where their sum is finite, all of them are. */
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

/** Slates that are written together, and are waited for together. */
interface WrittenGroup {
  readonly written: ReturnType<Journal['appendSoon']>
  readonly applied: Promise<void>
  slates: number
}

type Served = Pick<ServedRecommendation, 'items' | 'variant' | 'policy' | 'modelVersion'> & {
  readonly seenAllowed: boolean
}

/** If writing fails, it logs one error for the operator, and one message when writing works again. */
export class SlateWriter {
  readonly #options: SlateWriterOptions
  #lost = 0
  #group: WrittenGroup | null = null

  constructor(options: SlateWriterOptions) {
    this.#options = options
  }

  /** Answers the JSON of the items, which from here on are the log's. */
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
    // What JSON cannot hold is for the store to refuse.
    const itemsJson = JSON.stringify(items)
    const json = areFinite(items) ? { json: withItems(facts, itemsJson) } : {}
    const group = this.#groupOf(journal.appendSoon({ id, event, ...json }))
    group.slates += 1
    pending.add(id, event, group.applied)
    return itemsJson
  }

  #groupOf(written: WrittenGroup['written']): WrittenGroup {
    if (this.#group?.written === written) return this.#group
    const applied = written.then(
      ({ head }) => {
        this.#succeeded()
        return this.#options.tailer.applied(head)
      },
      (error: unknown) => this.#failed(error, group.slates),
    )
    const group: WrittenGroup = { written, slates: 0, applied }
    this.#group = group
    return group
  }

  #failed(error: unknown, slates: number): void {
    const isFirst = this.#lost === 0
    this.#lost += slates
    if (!isFirst) return
    const reason = error instanceof Error ? error.message : String(error)
    const message = `slates are served and cannot be recorded: ${reason}`
    this.#options.logMessage({ level: 'error', message })
  }

  #succeeded(): void {
    if (this.#lost === 0) return
    const message = `slates are recorded again; ${this.#lost} were not`
    this.#options.logMessage({ level: 'warning', message })
    this.#lost = 0
  }
}
