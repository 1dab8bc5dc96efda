// The writing side of a store. Calls wait while a group of calls commits, and form the next group when it has
// finished. All writes that must be in order use one connection. If it is lost during a commit, the writer ends
// the old session, finds out whether the commit took effect, and otherwise repeats it.

import { setTimeout as wait } from 'node:timers/promises'

import { createPending } from '../../core/pending.ts'
import type { Appended, Erasure, EraseUserRequest, Mark, PublishedWeights } from '../event-store.ts'
import { prepareEvents, type Position, type PreparedEvents } from '../log-event.ts'
import type { Address } from './address.ts'
import {
  answersOf,
  changeItems,
  changesItems,
  findGroup,
  findKnown,
  groupCalls,
  insert,
  readMark,
  setMark,
  type Group,
  type Inserted,
} from './append.ts'
import { connect, type Connection, type Limits, type Session } from './connection.ts'
import { eraseUser, erasureEvent } from './erase-user.ts'
import { asStoreError, isRace, isRefusal, unknownOutcome } from './failures.ts'
import { commitsPerSegment, lockHead, readHead, rollHead } from './head.ts'
import type { Places } from './places.ts'
import { publish, type WeightsToPublish } from './publish.ts'
import { claimSchema, endSession, type ClaimKind } from './session.ts'

/** A call that waits: events for the next group, or work that runs alone. */
interface Waiting {
  readonly events: PreparedEvents | null
  readonly run: () => Promise<unknown>
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
}

/** Maximum number of events per group, except for a single call with more. */
const maxGroupEvents = 10_000

/** Milliseconds between two attempts to get a lost claim back. */
const reclaimMs = 1000

/** A group that another commit has overtaken into the next segment. */
class OtherSegment extends Error {}

export class Writer {
  readonly #address: Address
  readonly #limits: Limits
  /** Milliseconds to repeat a write after its first failure. */
  readonly #patience: number
  readonly #places: Places
  readonly #onAppended: () => void
  readonly #queue: Waiting[] = []
  /** Reads of the head that began before the next write, and must not see it. */
  readonly #headReads = createPending()
  #connection: Connection | null = null
  /** The session of a lost connection, until it has ended. */
  #lostSession: Session | null = null
  #segment = 0
  /** The head that this writer knows. Later commits may have followed. */
  #head: Position = 0
  #claim: ClaimKind | null = null
  #isBusy = false
  #isClosed = false
  #whenIdle = (): void => {}

  /** @param onAppended Called after each group of events. */
  constructor(
    address: Address,
    limits: Limits,
    patience: number,
    places: Places,
    onAppended: () => void,
  ) {
    this.#places = places
    this.#onAppended = onAppended
    this.#address = address
    this.#limits = limits
    this.#patience = patience
  }

  /** Calls take effect in order. */
  append(events: PreparedEvents, mark: Mark | null): Promise<Appended> {
    const isPlain = mark === null && !events.kinds.some(changesItems)
    return this.#call(isPlain ? events : null, () => this.#appendAlone(events, mark))
  }

  eraseUser(request: EraseUserRequest): Promise<Erasure> {
    return this.#call(null, () => {
      const group = erasureEvent(request.time)
      return this.#erase(request, group)
    })
  }

  async #erase(request: EraseUserRequest, group: Group): Promise<Erasure> {
    const after = this.#head
    let erasure: Erasure | null = null
    const erased = await this.#perform(
      (connection) =>
        connection.transaction(async () => {
          erasure = await eraseUser(connection, request, group)
          return erasure
        }),
      async (connection) => (await findGroup(connection, group, after)) && erasure,
    )
    this.#remember(erased.position, group.stamp)
    return erased
  }

  claim(kind: ClaimKind): Promise<void> {
    return this.#call(null, async () => {
      if (this.#claim === kind) return
      await this.#perform(
        (connection) => claimSchema(connection, this.#address, kind),
        async () => null,
      )
      this.#claim = kind
    })
  }

  /** Completes weights, and appends their event. */
  publish(weights: WeightsToPublish): Promise<PublishedWeights> {
    return this.#call(null, async () => {
      const group = groupCalls([prepareEvents([{ event: weights.event }])])
      const after = this.#head
      const inserted = await this.#perform(
        async (connection) => {
          const done = await publish(connection, weights, group, this.#segment)
          return done ?? this.#inOtherSegment(connection)
        },
        (connection) => findGroup(connection, group, after),
      )
      this.#head = Math.max(this.#head, inserted.head)
      this.#remember(inserted.head, group.stamp)
      await this.#roll(inserted)
      return { position: inserted.positions[0]!, event: weights.event }
    })
  }

  /** Runs a read of the head, which later writes wait for. */
  beforeNextWrite<T>(read: () => Promise<T>): Promise<T> {
    return this.#headReads.track(read)
  }

  /** Resolves when all calls have ended, and closes the connection. No call may follow. */
  async close(): Promise<void> {
    if (this.#isBusy || this.#queue.length > 0) {
      await new Promise<void>((resolve) => (this.#whenIdle = resolve))
    }
    this.#isClosed = true
    await this.#connection?.close()
  }

  #call<T>(events: PreparedEvents | null, run: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ events, run, resolve, reject })
      // At the end of the turn, so that other calls of the turn join the group.
      if (this.#queue.length === 1 && !this.#isBusy) setImmediate(() => void this.#drain())
    })
  }

  async #drain(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    while (this.#queue.length > 0) {
      await this.#headReads.settled()
      const group = this.#queue.splice(0, groupLength(this.#queue))
      await this.#commit(group)
    }
    this.#isBusy = false
    this.#whenIdle()
  }

  async #commit(calls: readonly Waiting[]): Promise<void> {
    try {
      const [{ events, run }] = calls as [Waiting]
      const answers =
        events === null
          ? [await run()]
          : await this.#appendTogether(calls.map((one) => one.events!))
      for (const [at, { resolve }] of calls.entries()) resolve(answers[at] as never)
    } catch (error) {
      // If the server refused one of several calls, the others succeed alone.
      if (calls.length > 1 && isRefusal((error as Error).cause)) {
        for (const call of calls) await this.#commit([call])
      } else for (const { reject } of calls) reject(error)
    }
  }

  async #appendTogether(calls: readonly PreparedEvents[]): Promise<readonly Appended[]> {
    const group = groupCalls(calls)
    const after = this.#head
    const inserted = await this.#perform(
      (connection) => this.#insert(connection, group),
      (connection) => findGroup(connection, group, after),
    )
    this.#head = Math.max(this.#head, inserted.head)
    this.#rememberEnd(group, inserted)
    await this.#roll(inserted)
    return answersOf(group, inserted)
  }

  /** Appends in a transaction, with changes of the catalog and a mark. */
  async #appendAlone(events: PreparedEvents, mark: Mark | null): Promise<Appended> {
    const group = groupCalls([events])
    const after = this.#head
    const inserted = await this.#perform(
      (connection) =>
        connection.transaction(async () => {
          this.#segment = (await lockHead(connection)).segment
          if (mark) await setMark(connection, mark)
          const done = await this.#insert(connection, group)
          await changeItems(connection, group.events, done)
          return done
        }),
      async (connection) => {
        const found = await findGroup(connection, group, after)
        if (found || mark === null) return found
        // Without new events, the mark shows whether the call took effect.
        const isMarked = (await readMark(connection, mark.name)) === mark.value
        return isMarked ? findKnown(connection, group) : null
      },
    )
    this.#head = Math.max(this.#head, inserted.head)
    this.#rememberEnd(group, inserted)
    return answersOf(group, inserted)[0]!
  }

  #rememberEnd({ stamp }: Group, { isNew, positions, before }: Inserted): void {
    if (before) this.#places.compare(...before)
    const last = isNew.lastIndexOf(true)
    if (last >= 0) this.#remember(positions[last]!, stamp)
  }

  #remember(position: Position, stamp: number): void {
    this.#places.remember(position, stamp)
    this.#onAppended()
  }

  async #insert(connection: Connection, group: Group): Promise<Inserted> {
    return (await insert(connection, group, this.#segment)) ?? this.#inOtherSegment(connection)
  }

  async #inOtherSegment(connection: Connection): Promise<never> {
    this.#segment = (await readHead(connection)).segment
    throw new OtherSegment()
  }

  /** Its failure does not matter: the next commit finds the segment, and tries again. */
  async #roll({ commits }: Inserted): Promise<void> {
    if (commits < commitsPerSegment) return
    await this.#connected()
      .then((connection) => rollHead(connection, this.#segment))
      .catch(() => {})
  }

  /**
   * Runs a write until it succeeds or is refused. If its outcome is unknown, `settle` finds out: it returns the
   * answer if the write took effect, or null, and the write runs again.
   */
  async #perform<T>(
    write: (connection: Connection) => Promise<T>,
    settle: (connection: Connection) => Promise<T | null>,
  ): Promise<T> {
    let deadline = Infinity
    let isUnknown = false
    for (let pause = 10; ; pause = Math.min(2 * pause, 250)) {
      let isSent = false
      try {
        const connection = await this.#connected()
        const settled = isUnknown ? await settle(connection) : null
        if (settled !== null) return settled
        isUnknown = false
        isSent = true
        return await write(connection)
      } catch (error) {
        if (error instanceof OtherSegment) continue
        deadline = Math.min(deadline, performance.now() + this.#patience)
        isUnknown ||= isSent && !isRefusal(error)
        const mayRepeat = isRace(error) || !isRefusal(error)
        if (mayRepeat && performance.now() < deadline) await wait(isRace(error) ? 1 : pause)
        else throw isUnknown ? unknownOutcome(error, this.#address) : this.#asError(error)
      }
    }
  }

  #asError(error: unknown): Error {
    return asStoreError(error, this.#address) as Error
  }

  /** A new connection has the claim, and the session before it has ended. */
  async #connected(): Promise<Connection> {
    if (this.#connection && !this.#connection.isLost) return this.#connection
    const connection = await connect(this.#address, this.#limits)
    try {
      if (this.#lostSession) await endSession(connection, this.#lostSession, this.#patience)
      this.#lostSession = null
      if (this.#claim) await claimSchema(connection, this.#address, this.#claim)
      const { segment, head } = await readHead(connection)
      this.#segment = segment
      this.#head = Math.max(this.#head, head)
    } catch (error) {
      connection.destroy()
      throw error
    }
    connection.whenLost(() => {
      this.#lostSession = connection.session
      if (this.#claim) this.#reclaim()
    })
    this.#connection = connection
    return connection
  }

  /** Claims the store again after the connection was lost, even if nothing is written. */
  #reclaim(): void {
    const again = (): void => {
      if (this.#isClosed || this.#connection?.isLost === false) return
      this.#call(null, () => this.#connected()).catch(() => this.#reclaim())
    }
    setTimeout(again, reclaimMs).unref()
  }
}

/** Events of plain calls share a statement; every other call runs alone. */
function groupLength(queue: readonly Waiting[]): number {
  let count = 0
  const end = queue.findIndex(({ events }) => {
    if (events === null) return true
    count += events.ids.length
    return count > maxGroupEvents
  })
  return end === -1 ? queue.length : Math.max(1, end)
}
