// Writes all events of a service to the log. Events are applied only once they are durable, so a
// failed write leaves no trace. Served slates are written in the background. Until a slate is applied to
// the state, it is pending, so that the next request of its user takes it into account.

import { RenError } from '../../core/errors.ts'
import { createPending } from '../../core/pending.ts'
import type {
  Appended,
  EventStore,
  EraseUserRequest,
  Erasure,
  LogEvent,
  LoggedRecommendation,
  NewEvent,
  Position,
  ServedItem,
  StoredEvent,
} from '../../storage/index.ts'
import type { ServedRecommendation } from '../schemas/recommendation.ts'
import type { ServiceParts } from '../service-api.ts'
import type { ServiceRequest } from '../service.ts'
import { errorMessage } from '../settings.ts'
import type { Tailer } from './tailer.ts'

/** Limits of a batch of events that no caller waits for: milliseconds and number of events. */
const batchMs = 25
const maxBatch = 256
/** The weight of the last commit in the mean time of commits. */
const newest = 0.2

export class Journal {
  readonly #store: EventStore
  readonly #tailer: Pick<Tailer, 'applied' | 'committed' | 'holdErasures'>
  readonly #onErasure: (erasure: Erasure) => Promise<void>
  /** Why the last write failed; null if it succeeded. */
  problem: string | null = null
  /** Writes, each until its events are applied. */
  readonly #pending = createPending()
  #batch: Batch | null = null
  readonly #services: () => number
  /** The mean time of recent commits in milliseconds. */
  #commitMs = 0

  /** @param services The number of services that share the store. Defaults to one. */
  constructor(
    store: EventStore,
    tailer: Pick<Tailer, 'applied' | 'committed' | 'holdErasures'>,
    onErasure: (erasure: Erasure) => Promise<void>,
    services = (): number => 1,
  ) {
    this.#services = services
    this.#store = store
    this.#tailer = tailer
    this.#onErasure = onErasure
  }

  /** Resolves when the events are durable. They are also received, unless others wrote before them. */
  append(events: readonly NewEvent[]): Promise<Appended> {
    return this.#next(() => this.#append(events))
  }

  /**
   * Appends an event that no caller waits for, in a batch with the other such events of the next few
   * milliseconds. The batch is sent before any later write. Resolves when the batch is durable.
   */
  appendSoon(event: NewEvent): Promise<Pick<Appended, 'head'>> {
    this.#batch ??= {
      events: [],
      timer: setTimeout(() => this.#sendBatch(), this.#gatherMs()),
      sent: Promise.withResolvers(),
    }
    const { events, sent } = this.#batch
    if (events.push(event) >= maxBatch) this.#sendBatch()
    return sent.promise
  }

  /** Resolves with the position when the event is durable and, if the log can be read, applied. */
  commit(event: LogEvent): Promise<Position> {
    return this.#next(async () => {
      const { results } = await this.#append([{ event }])
      const { position } = results[0]!
      await this.#tailer.applied(position)
      return position
    })
  }

  /** Resolves when the user is erased from the log and from memory, in all threads. */
  eraseUser(request: EraseUserRequest): Promise<Erasure> {
    return this.#next(async () => {
      const release = this.#tailer.holdErasures()
      // Passes on the names before the event is applied, in the same tick as the release of the hold.
      const { erasure, erased } = await this.#watch(this.#store.eraseUser(request))
        .then((result) => ({ erasure: result, erased: this.#onErasure(result) }))
        .finally(release)
      const { position } = erasure
      this.#tailer.committed([{ position, event: { kind: 'user-erased', time: request.time } }])
      await erased
      return erasure
    })
  }

  /** Resolves when all writes that were begun have succeeded or failed. */
  async settled(): Promise<void> {
    this.#sendBatch()
    await this.#pending.settled()
  }

  /** Sends the batch first, so that the log has the order of the calls. */
  #next<T>(work: () => Promise<T>): Promise<T> {
    this.#sendBatch()
    return this.#pending.track(work)
  }

  #sendBatch(): void {
    if (this.#batch === null) return
    const { events, timer, sent } = this.#batch
    this.#batch = null
    clearTimeout(timer)
    sent.resolve(this.#pending.track(() => this.#append(events)))
  }

  /** Commits of all services follow each other, so each service leaves time for those of the others. */
  #gatherMs(): number {
    return Math.max(batchMs, this.#services() * this.#commitMs)
  }

  async #append(events: readonly NewEvent[]): Promise<Appended> {
    const began = performance.now()
    const appended = await this.#watch(this.#store.append(events))
    this.#commitMs += newest * (performance.now() - began - this.#commitMs)
    const stored = events.flatMap(({ id, event }, i): StoredEvent[] => {
      const { position, repeated } = appended.results[i]!
      return repeated ? [] : [id === undefined ? { position, event } : { position, id, event }]
    })
    if (stored.length > 0) this.#tailer.committed(stored)
    return appended
  }

  async #watch<T>(write: Promise<T>): Promise<T> {
    try {
      const result = await write
      this.problem = null
      return result
    } catch (error) {
      // An invalid event says nothing about the store.
      if (!(error instanceof RenError && error.code === 'invalid-argument')) {
        this.problem = errorMessage('error', 'the last write failed', error).message
      }
      throw error
    }
  }
}

interface Batch {
  readonly events: NewEvent[]
  readonly timer: NodeJS.Timeout
  readonly sent: PromiseWithResolvers<Appended>
}

const none: ReadonlySet<LoggedRecommendation> = new Set()

/** Slates that were served and are not applied yet, since only durable events change the state. */
export class PendingSlates {
  readonly #byId = new Map<string, LoggedRecommendation>()
  readonly #byUser = new Map<string, Set<LoggedRecommendation>>()
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

  add(id: string, slate: LoggedRecommendation): void {
    this.#byId.set(id, slate)
    this.#byUser.set(slate.user, (this.#byUser.get(slate.user) ?? new Set()).add(slate))
  }

  /** Removes the slates of events that are being applied. */
  consume(events: readonly StoredEvent[]): void {
    if (this.#byId.size === 0) return
    for (const { id } of events) if (id !== undefined) this.remove(id)
  }

  remove(id: string): void {
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
  items.every(
    ({ score, relevance, diversity, uncertainty, experience = 0, propensity = 0, boost = 0 }) =>
      Number.isFinite(
        score + relevance + diversity + uncertainty + experience + propensity + boost,
      ),
  )

/**
 * Rounds the numbers of a slate to seven significant digits, as precise as the float32 that scores are
 * computed in. Served, logged, applied and replayed items thus have the same numbers, in two thirds of
 * the bytes.
 */
export const shortened = (items: readonly ServedItem[]): ServedItem[] =>
  items.map((item) => ({
    ...item,
    score: sevenDigits(item.score),
    relevance: sevenDigits(item.relevance),
    diversity: sevenDigits(item.diversity),
    uncertainty: sevenDigits(item.uncertainty),
    ...(item.experience !== undefined && { experience: sevenDigits(item.experience) }),
    ...(item.propensity !== undefined && { propensity: sevenDigits(item.propensity) }),
  }))

/** Up to 10²², powers of ten are exact, so a quotient of integers is the float64 next to its decimal. */
const powersOfTen = Array.from({ length: 23 }, (_, digits) => Number(`1e${digits}`))

export function sevenDigits(value: number): number {
  if (value === 0) return value
  const size = Math.abs(value)
  const power = powersOfTen.find((scale) => size * scale >= 1e6)
  if (power === undefined || size >= 1e7) return Number(value.toPrecision(7))
  return Math.round(value * power) / power
}

/** The ids of the slates in one batch of the journal, which share its promise. */
interface SlateBatch {
  readonly written: ReturnType<Journal['appendSoon']>
  readonly ids: string[]
}

type Served = Pick<ServedRecommendation, 'items' | 'variant' | 'policy' | 'modelVersion'> & {
  readonly seenAllowed: boolean
}

type SlateWriterParts = Pick<
  ServiceParts,
  'journal' | 'pendingSlates' | 'tailer' | 'settings' | 'logMessage'
>

/** Logs one error when writing fails, and one message when it works again. */
export class SlateWriter {
  readonly #parts: SlateWriterParts
  #lost = 0
  #batch: SlateBatch | null = null

  constructor(parts: SlateWriterParts) {
    this.#parts = parts
  }

  /** Returns the items as JSON. The log now owns the items, so the caller must not change them. */
  write(id: string, served: Served, request: Pick<ServiceRequest, 'user' | 'context'>): string {
    const { journal, pendingSlates, settings } = this.#parts
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
    const written = journal.appendSoon({ id, event, ...json })
    pendingSlates.add(id, event)
    if (this.#batch?.written === written) this.#batch.ids.push(id)
    else {
      this.#batch = { written, ids: [id] }
      void this.#finish(this.#batch)
    }
    return itemsJson
  }

  /** Slates are pending until they are applied or cannot be recorded. */
  async #finish({ written, ids }: SlateBatch): Promise<void> {
    const { pendingSlates, tailer } = this.#parts
    try {
      const { head } = await written
      this.#succeeded()
      await tailer.applied(head)
    } catch (error) {
      this.#failed(error, ids.length)
    }
    for (const id of ids) pendingSlates.remove(id)
  }

  #failed(error: unknown, slates: number): void {
    const isFirst = this.#lost === 0
    this.#lost += slates
    if (!isFirst) return
    this.#parts.logMessage(errorMessage('error', 'served slates cannot be recorded', error))
  }

  #succeeded(): void {
    if (this.#lost === 0) return
    const message = `served slates are recorded again; ${this.#lost} were lost`
    this.#parts.logMessage({ level: 'warning', message })
    this.#lost = 0
  }
}
