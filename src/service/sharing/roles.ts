// The role of a service: the learner trains, publishes and saves states; the others serve what it publishes.

import { RenError } from '../../core/errors.ts'
import type { Lease, NewEvent, StoredEvent } from '../../storage/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import type { Learner, LoggedErasedUsers } from '../learning/learner-types.ts'
import type { TrainingStatus } from '../schemas/model.ts'
import type { ModelApi } from '../service.ts'
import { errorMessage, type LogHandler } from '../settings.ts'
import { groupNamed, type ModelGroup } from '../state/model-groups.ts'
import type { ServedWeights } from '../state/served-weights.ts'
import type { Membership } from './membership.ts'

interface RolesOptions {
  readonly membership: Pick<Membership, 'services'>
  readonly groups: readonly ModelGroup[]
  readonly weights: ServedWeights
  readonly settings: Pick<CompleteSettings, 'clock'>
  /** Starts the learner of this service, once everything in the log is applied. */
  readonly startLearner: (lease: Lease | null) => Promise<Learner>
  /** Appends events to the log. */
  readonly append: (events: readonly NewEvent[]) => Promise<unknown>
}

/** A learner whose role can change. */
export class Roles implements Learner {
  readonly model: ModelApi
  readonly #options: RolesOptions
  readonly #follower: Learner
  #role: Learner
  /** Changes of the role, one after another. */
  #changes: Promise<void> = Promise.resolve()
  /** What happened while a learner started. */
  #missed: { readonly events: StoredEvent[]; readonly erased: LoggedErasedUsers[] } | null = null
  #closed = false

  constructor(options: RolesOptions) {
    this.#options = options
    this.#follower = createFollower(options)
    this.#role = this.#follower
    const role = (): ModelApi => this.#role.model
    this.model = {
      current: () => role().current(),
      versions: (group) => role().versions(group),
      train: (group) => role().train(group),
      rollBack: (version, group) => role().rollBack(version, group),
      training: () => role().training(),
      trainFully: (group) => role().trainFully(group),
      cancelTraining: (group) => role().cancelTraining(group),
    }
  }

  get problems(): readonly string[] {
    return this.#role.problems
  }

  /** Becomes the learner; without a lease if no other service can use the store. Throws if it cannot. */
  lead(lease: Lease | null): Promise<void> {
    return this.#change(() => this.#start(lease))
  }

  /** Becomes a follower. */
  follow(): Promise<void> {
    return this.#change(() => this.#end())
  }

  consume(events: readonly StoredEvent[]): void {
    this.#missed?.events.push(...events)
    this.#role.consume(events)
    const { weights, settings, append } = this.#options
    if (weights.leading === null) return
    const changed = weights.changedBlends(settings.clock())
    // A failed write is a problem of the journal. The next change is logged again.
    if (changed.length > 0) append(changed.map((event) => ({ event }))).catch(() => {})
  }

  saveState(): Promise<void> {
    return this.#role.saveState()
  }

  eraseUser(erased: LoggedErasedUsers): Promise<void> {
    this.#missed?.erased.push(erased)
    return this.#role.eraseUser(erased)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#change(() => this.#end())
  }

  #change(change: () => Promise<void>): Promise<void> {
    const done = this.#changes.then(change)
    this.#changes = done.catch(() => {})
    return done
  }

  async #start(lease: Lease | null): Promise<void> {
    await this.#end()
    if (this.#closed) return
    this.#missed = { events: [], erased: [] }
    try {
      const learner = await this.#options.startLearner(lease)
      const { events, erased } = this.#missed
      for (const one of erased) void learner.eraseUser(one)
      if (events.length > 0) learner.consume(events)
      this.#role = learner
    } finally {
      this.#missed = null
    }
  }

  async #end(): Promise<void> {
    const learner = this.#role
    if (learner === this.#follower) return
    this.#role = this.#follower
    this.#options.weights.leading = null
    this.#options.weights.decides = false
    await learner.close()
  }
}

/** Serves what the learner publishes, and saves nothing. */
function createFollower({ membership, groups, weights: { versions } }: RolesOptions): Learner {
  const named = (name: string | undefined): readonly ModelGroup[] =>
    name === undefined ? groups : [groupNamed(groups, name)]
  const learner = () => membership.services.find(({ isLearner }) => isLearner)
  const refuse = async (): Promise<never> => {
    const name = learner()?.name
    const where = name === undefined ? 'no service has this role now' : `it is ${name}`
    throw new RenError('not-learner', `only the learner can do this: ${where}`, {
      ...(name !== undefined && { details: { learner: name } }),
    })
  }
  const model: ModelApi = {
    current: () => groups.map((group) => versions.current(group)),
    async versions(name) {
      const all = named(name).flatMap((group) => versions.list(group))
      return all.toSorted((a, b) => b.time - a.time || b.version - a.version)
    },
    train: refuse,
    rollBack: refuse,
    training: () => (learner()?.about['training'] as readonly TrainingStatus[] | undefined) ?? [],
    trainFully: refuse,
    cancelTraining: refuse,
  }
  const nothing = async (): Promise<void> => {}
  return {
    model,
    problems: [],
    consume() {},
    saveState: nothing,
    eraseUser: nothing,
    close: nothing,
  }
}

/** Changes the role as the lease says. If the service cannot train, it gives the lease back. */
export function followLease(
  roles: Roles,
  membership: Pick<Membership, 'resign'>,
  logMessage: LogHandler,
) {
  return (lease: Lease | null): void => {
    const message = lease === null ? 'this service no longer trains' : 'this service trains now'
    logMessage({ level: 'info', message })
    const change = lease === null ? roles.follow() : roles.lead(lease)
    change.catch((error: unknown) => {
      logMessage(errorMessage('error', 'the role of the service did not change', error))
      void membership.resign()
    })
  }
}
