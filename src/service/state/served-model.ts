// Replaces the learner if learning is disabled: the weights stay fixed, and the main thread saves its
// own state.

import { RenError } from '../../core/errors.ts'
import type { Position, StoredEvent } from '../../storage/index.ts'
import type { Learner, LearnerStart } from '../learning/learner-types.ts'
import type { ModelApi } from '../service.ts'
import type { ModelVersion } from '../schemas/model.ts'
import { errorMessage } from '../settings.ts'
import { groupNamed } from './model-groups.ts'
import { saveWithRetry, trimStates, areWeightsOf, stateSnapshot, versionIn } from './snapshots.ts'
import type { VersionFacts } from './snapshots.ts'

export const startServedModel = async (start: LearnerStart): Promise<Learner> =>
  new ServedModel(start)

class ServedModel implements Learner {
  readonly problems = []
  readonly model: ModelApi
  readonly #start: LearnerStart
  #position: Position
  #unsaved = 0

  constructor(start: LearnerStart) {
    const startedAt = start.settings.clock()
    this.#start = start
    this.#position = start.position
    this.model = {
      current: () =>
        start.groups.map(({ group, facts }) =>
          this.#versionOf(group.name, facts, startedAt, false),
        ),
      versions: (name) => this.#versions(name),
      train: refuse('train'),
      rollBack: refuse('rollBack'),
      training: () => [],
      trainFully: refuse('trainFully'),
      cancelTraining: async () => [],
    }
  }

  consume(events: readonly StoredEvent[]): void {
    const { settings, logMessage } = this.#start
    this.#position = events.at(-1)!.position
    this.#unsaved += events.length
    if (this.#unsaved < settings.snapshots.everyEvents) return
    this.saveState().catch((error: unknown) =>
      logMessage(errorMessage('error', 'the state was not saved', error)),
    )
  }

  saveState(): Promise<void> {
    return saveWithRetry(() => this.#save())
  }

  async eraseUser(): Promise<void> {}

  async close(): Promise<void> {}

  async #save(): Promise<void> {
    const { store, settings, groups } = this.#start
    this.#unsaved = 0
    // Serializes all groups in one tick, so that their states have the same position.
    const states = groups.map(({ group }) => ({
      snapshot: stateSnapshot(group, settings, this.#position, settings.clock()),
      parts: [...group.recommender.saveState()],
    }))
    for (const { snapshot, parts } of states) await store.writeSnapshot(snapshot, parts)
    await trimStates(this.#start)
  }

  async #versions(name: string | undefined): Promise<readonly ModelVersion[]> {
    const { store, groups } = this.#start
    const all = groups.map(({ group }) => group)
    const chosen = name === undefined ? all : [groupNamed(all, name)]
    const lists = chosen.map(async (group) => {
      const saved = await store.snapshots('weights', group.name)
      return saved.map((info) => {
        const isAvailable = info.readable && areWeightsOf(info, group)
        return this.#versionOf(group.name, versionIn(info), info.time, isAvailable)
      })
    })
    return (await Promise.all(lists)).flat()
  }

  #versionOf(group: string, facts: VersionFacts, time: number, available: boolean): ModelVersion {
    const inService = this.#start.inService(group, facts.version)
    return { group, ...facts, time, ...inService, available }
  }
}

const refuse = (call: string) => async (): Promise<never> => {
  throw new RenError('learning-off', `${call}: the service was opened with learning disabled`)
}
