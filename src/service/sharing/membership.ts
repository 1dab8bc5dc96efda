// How a service takes part among those that share its store: it announces itself every second, and competes for the
// lease of the learner. A service whose store has no other services is always the learner.

import { hostname } from 'node:os'

import type { Lease, Position, SharedStore, SharingService } from '../../storage/index.ts'
import { entriesInOrder, type CompleteSettings } from '../complete-settings.ts'
import { errorMessage, type LogHandler } from '../settings.ts'

export interface MembershipOptions {
  /** Null if no other service can use the store. */
  readonly shared: SharedStore | null
  readonly settings: CompleteSettings
  readonly logMessage: LogHandler
  /** Milliseconds for which the lease of the learner lasts without being renewed. Defaults to 3 seconds. */
  readonly leaseMs?: number
}

/** What the current state of the service tells other services. */
export interface Presence {
  /** The last applied position. */
  readonly position: () => Position
  /** Facts for people and for other services. */
  readonly about: () => Readonly<Record<string, unknown>>
  /** Called when the service becomes the learner, or no longer is. */
  readonly onLease: (lease: Lease | null) => void
}

/** Milliseconds for which a service that cannot train leaves the lease to others. */
const resignedMs = 10_000

const absent: Presence = { position: () => 0, about: () => ({}), onLease() {} }

export class Membership {
  readonly id = crypto.randomUUID()
  readonly name = `${hostname()}:${process.pid}`
  readonly #options: MembershipOptions
  readonly #leaseMs: number
  #presence = absent
  #lease: Lease | null = null
  #renewedAt = 0
  #resignedUntil = 0
  #services: readonly SharingService[] = []
  #timers: readonly NodeJS.Timeout[] = []
  #ticking: Promise<void> | null = null
  #failure: string | null = null

  constructor(options: MembershipOptions) {
    this.#options = options
    this.#leaseMs = options.leaseMs ?? 3000
  }

  /** Whether this service trains. */
  get isLearner(): boolean {
    return this.#options.shared === null || this.#lease !== null
  }

  get lease(): Lease | null {
    return this.#lease
  }

  /** All services of the store as last announced; empty if no other service can use it. */
  get services(): readonly SharingService[] {
    return this.#services
  }

  get problems(): readonly string[] {
    return this.#failure === null ? [] : [this.#failure]
  }

  /** Throws `settings-differ` if a running service of the store has other settings. */
  async join(): Promise<void> {
    const { shared } = this.#options
    if (shared === null) return
    await this.#announce(shared)
    const interval = Math.min(1000, this.#leaseMs / 3)
    this.#timers = [
      setInterval(() => void this.#tick(shared), interval).unref(),
      // Apart from calls to the server, which may not answer.
      setInterval(() => this.#expire(), interval / 2).unref(),
    ]
  }

  /** Takes part with a state. Tries at once to become the learner. */
  async enter(presence: Presence): Promise<void> {
    this.#presence = presence
    if (this.#options.shared !== null) await this.#tick(this.#options.shared)
  }

  /** Takes part without a state: gives the lease back, and other services wait for this one to catch up. */
  async withdraw(): Promise<void> {
    const { onLease } = this.#presence
    this.#presence = absent
    await this.#giveBack(onLease)
  }

  /** Gives the lease back because this service cannot train, and leaves it to other services for a while. */
  async resign(): Promise<void> {
    this.#resignedUntil = performance.now() + resignedMs
    await this.#giveBack(this.#presence.onLease)
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    this.#presence = absent
    await this.#giveBack(() => {})
    await this.#options.shared?.leave(this.id).catch(() => {})
  }

  async #giveBack(onLease: Presence['onLease']): Promise<void> {
    // A tick may be about to take or to renew the lease.
    await this.#ticking
    const lease = this.#lease
    if (lease === null) return
    this.#lease = null
    onLease(null)
    await this.#options.shared?.stopLeading(lease).catch(() => {})
  }

  async #announce(shared: SharedStore): Promise<void> {
    const { id, name } = this
    const { position, about } = this.#presence
    const settings = commonSettings(this.#options.settings)
    this.#services = await shared.announce({
      id,
      name,
      position: position(),
      settings,
      about: about(),
    })
  }

  /** Never rejects. */
  async #tick(shared: SharedStore): Promise<void> {
    this.#ticking ??= this.#announceAndLead(shared).finally(() => (this.#ticking = null))
    await this.#ticking
  }

  async #announceAndLead(shared: SharedStore): Promise<void> {
    try {
      if (this.#presence !== absent) await this.#lead(shared)
      await this.#announce(shared)
      this.#failure = null
    } catch (error) {
      const what = 'the service cannot announce itself to the other services of the store'
      const message = errorMessage('warning', what, error)
      if (this.#failure === null) this.#options.logMessage(message)
      this.#failure = message.message
    }
  }

  async #lead(shared: SharedStore): Promise<void> {
    const began = performance.now()
    if (this.#lease === null && began < this.#resignedUntil) return
    const before = this.#lease
    const lease = await shared.lead(this.id, this.#leaseMs)
    if (lease !== null) this.#renewedAt = began
    if (before?.epoch === lease?.epoch) return
    this.#lease = lease
    this.#presence.onLease(lease)
  }

  /** Stops learning well before another service may take the lease. */
  #expire(): void {
    if (this.#lease === null || performance.now() - this.#renewedAt < (this.#leaseMs * 2) / 3)
      return
    this.#lease = null
    this.#presence.onLease(null)
  }
}

/** The settings on which the state depends, so that all services of a store must have the same. */
function commonSettings(settings: CompleteSettings): Readonly<Record<string, string>> {
  const { variants, models, seed, relevance, impressions, attributionWindow, maxPerUser } = settings
  const described = variants.map(({ name, share, method, settings: own }) => [
    name,
    share,
    method,
    entriesInOrder(own),
  ])
  return {
    variants: JSON.stringify(described),
    models,
    seed,
    relevance,
    impressions,
    attributionWindow: String(attributionWindow),
    maxPerUser: JSON.stringify(entriesInOrder({ ...maxPerUser })),
    'learning.enabled': String(settings.learning.enabled),
  }
}
