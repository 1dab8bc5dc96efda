// The `model` part of the service API: versions, training and rollback.

import { invalid } from '../../core/errors.ts'
import { groupNamed, namesOf, type ModelGroup } from '../state/model-groups.ts'
import type { ModelApi } from '../service.ts'
import type { TrainOutcome } from '../schemas/model.ts'
import type { FullTraining } from '../training/full-training.ts'
import type { UpdateResult } from './updates.ts'
import type { Versions } from './versions.ts'

interface ModelApiParts {
  readonly groups: readonly ModelGroup[]
  readonly versions: Versions
  readonly learn: (group: ModelGroup) => Promise<UpdateResult>
  readonly rollBack: (group: ModelGroup, version: number) => Promise<void>
  readonly fullTraining: FullTraining
}

/** Maximum number of updates per group and call of `train`. */
const maxUpdates = 1000

export function createModelApi(parts: ModelApiParts): ModelApi {
  const { groups, versions, learn, rollBack, fullTraining } = parts

  function named(name: string | undefined): readonly ModelGroup[] {
    return name === undefined ? groups : [groupNamed(groups, name)]
  }

  function only(name: string | undefined): ModelGroup {
    const [group, ...others] = named(name)
    if (others.length === 0) return group!
    throw invalid(`group must be one of ${namesOf(groups)}, got none`, 'group')
  }

  return {
    current: () => groups.map((group) => versions.current(group)),
    async versions(name) {
      const all = named(name).flatMap((group) => versions.list(group))
      return all.toSorted((a, b) => b.time - a.time || b.version - a.version)
    },
    async train(name) {
      const outcomes: TrainOutcome[] = []
      for (const group of named(name)) outcomes.push(await trainAll(() => learn(group)))
      return outcomes
    },
    async rollBack(version, name) {
      const group = only(name)
      await rollBack(group, version)
      return versions.current(group)
    },
    training: () => fullTraining.status,
    trainFully: async (name) => fullTraining.start(named(name)),
    cancelTraining: async (name) => fullTraining.cancel(named(name)),
  }
}

/** Updates until no user waits. Returns the outcome of the last update with new events. */
async function trainAll(learn: () => Promise<UpdateResult>): Promise<TrainOutcome> {
  let last: TrainOutcome | null = null
  for (let updates = 0; updates < maxUpdates; updates++) {
    const { outcome, waiting } = await learn()
    if (last === null || outcome.outcome !== 'nothing-new') last = outcome
    if (outcome.outcome !== 'trained' || waiting === 0) break
  }
  return last!
}
