// In place of a learner where a service is not to learn: the weights stay as they are, and the main
// thread saves its own state.

import { RenError } from '../../core/errors.ts'
import type { Position } from '../../storage/index.ts'
import type { Learner, LearnerStart } from '../learning/learner-types.ts'
import type { ModelVersion } from '../service.ts'
import { saveWithRetry, trimStates, areWeightsOf, stateSnapshot, versionIn } from './snapshots.ts'
import type { VersionFacts } from './snapshots.ts'

export async function startServedModel(start: LearnerStart): Promise<Learner> {
  const { store, settings, groups, logMessage } = start
  const startedAt = settings.clock()
  let { position }: { position: Position } = start
  let unsaved = 0

  function versionOf(
    group: string,
    facts: VersionFacts,
    time: number,
    available: boolean,
  ): ModelVersion {
    return { group, ...facts, time, ...start.inService(group, facts.version), available }
  }

  async function save(): Promise<void> {
    unsaved = 0
    // All of it before anything can happen in between: the states are of one position.
    const states = groups.map(({ group }) => ({
      snapshot: stateSnapshot(group, settings, position, settings.clock()),
      parts: [...group.recommender.saveState()],
    }))
    for (const { snapshot, parts } of states) await store.writeSnapshot(snapshot, parts)
    await trimStates(start)
  }

  const saveState = (): Promise<void> => saveWithRetry(save)

  return {
    model: {
      current: () =>
        groups.map(({ group, facts }) => versionOf(group.name, facts, startedAt, false)),
      async versions(name) {
        const chosen = groups.filter(({ group }) => name === undefined || group.name === name)
        const lists = chosen.map(async ({ group }) => {
          const saved = await store.snapshots('weights', group.name)
          return saved.map((info) =>
            versionOf(
              group.name,
              versionIn(info),
              info.time,
              info.readable && areWeightsOf(info, group),
            ),
          )
        })
        return (await Promise.all(lists)).flat()
      },
      async train() {
        throw new RenError('learning-off', 'train: the service was opened with learning disabled')
      },
      async rollBack() {
        throw new RenError(
          'learning-off',
          'rollBack: the service was opened with learning disabled',
        )
      },
      training: () => [],
      async trainFully() {
        throw new RenError(
          'learning-off',
          'trainFully: the service was opened with learning disabled',
        )
      },
      cancelTraining: async () => [],
    },
    follow(events) {
      position = events.at(-1)!.position
      unsaved += events.length
      if (unsaved < settings.snapshots.everyEvents) return
      saveState().catch((error: unknown) => {
        logMessage({ level: 'error', message: `the state could not be saved: ${String(error)}` })
      })
    },
    saveState,
    problems: [],
    async eraseUser() {},
    async close() {},
  }
}
