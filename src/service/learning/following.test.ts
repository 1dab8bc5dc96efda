// After any sequence of events and updates, the learner and the main thread have the same state and
// weights.

import { join } from 'node:path'

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { describeGroups } from '../../../test/describe-state.ts'
import { temporaryFiles } from '../../../test/temporary-files.ts'
import { closeLearners, feedback, served, startTestLearner } from '../../../test/learners.ts'
import type { TestLearner } from '../../../test/learners.ts'
import { restoreRecommender, type Recommender } from '../../recommender/index.ts'
import { createMemoryStore, openSqliteStore } from '../../storage/index.ts'
import type { ItemPut, LogEvent } from '../../storage/index.ts'
import { groupSettings } from '../state/model-groups.ts'
import { readWhole } from '../state/restore.ts'
import { completeSettings } from '../complete-settings.ts'

closeLearners()
const { folder } = temporaryFiles()
let files = 0

const user = fc.constantFrom('ann', 'bob', 'cem', 'dan', 'eve', 'fay', 'gus')
const item = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const time = fc.integer({ min: 0, max: 2_000_000 })
const reward = fc.constantFrom(-1, 0, 0.5, 1)
const put = fc.record(
  {
    item,
    like: fc.array(item, { minLength: 1, maxLength: 2 }),
    embedding: fc.tuple(...[0, 1, 2].map(() => fc.constantFrom(-1, 0, 0.5))),
  },
  { requiredKeys: ['item'] },
) as fc.Arbitrary<ItemPut>

const event: fc.Arbitrary<LogEvent> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(user, item, reward, time).map((all) => feedback(...all)) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(user, fc.uniqueArray(item, { minLength: 1, maxLength: 3 }), time)
      .map((all) => served(...all)),
  },
  fc.record({ kind: fc.constant('items-put' as const), items: fc.array(put), time }),
  fc.record({ kind: fc.constant('items-removed' as const), items: fc.tuple(item), time }),
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('users-merged' as const), user, from: user, time }),
  },
)
const step = fc.oneof(
  { weight: 6, arbitrary: fc.array(event, { minLength: 1, maxLength: 20 }) },
  { weight: 3, arbitrary: fc.constantFrom('train' as const, 'save' as const) },
  { weight: 1, arbitrary: fc.constantFrom('go back' as const, 'kill' as const) },
  { weight: 1, arbitrary: user.map((erase) => ({ erase })) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const variants = ['one', 'two'].map((name) => ({
  name,
  method: 'ren-g',
  settings: { dimension: 3, uncertainty: name === 'one' ? 'counts' : 'learned' },
}))
const maxPerUser = { history: 4, impressions: 8 }
const settings = { variants, maxPerUser, snapshots: { maxModelVersions: 100 } }

/** An item that is not in the saved weights, saved by a learner and by the next one. */
const startLost: Step[] = [
  [{ kind: 'items-put', time: 0, items: [{ item: 'd', embedding: [1, 0, 0] }] }],
  'save',
  'kill',
]

test('after any updates, learner and main thread are equal in state and weights', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), fc.boolean(), async (steps, inMemory) => {
      const path = join(folder, `log-${files++}.db`)
      const store = inMemory ? createMemoryStore() : await openSqliteStore(path)
      const one = await startTestLearner({ ...settings, store })
      await one.report({
        kind: 'items-put',
        time: 0,
        items: ['a', 'b', 'c'].map((name) => ({ item: name })),
      })
      for (const each of steps) await take(one, each)
      await requireEqualStates(one)
      await one.close()
      await store.close()
    }),
    { numRuns: 8, examples: [[startLost, false]] },
  )
}, 60_000)

async function take(one: TestLearner, each: Step): Promise<void> {
  const { model } = one.learner
  if (each === 'train') {
    for (const { group, outcome } of await model.train()) {
      if (outcome === 'trained') await requireEqualWeights(one, group)
    }
  } else if (each === 'save') await requireEqualStates(one)
  else if (each === 'go back') {
    const [oldest] = (await model.versions('one')).toReversed()
    await model.rollBack(oldest!.version, 'one')
    await requireEqualWeights(one, 'one')
  } else if (each === 'kill') await one.threads.at(-1)?.terminate()
  else if ('erase' in each) await one.eraseUser(each.erase)
  else await one.report(...each)
}

const rowsOf = ({ model }: Recommender) => model.parameters.map(({ value }) => value.values)

async function requireEqualWeights({ groups, store }: TestLearner, name: string): Promise<void> {
  const group = groups.find((other) => other.name === name)!
  const [newest] = await store.snapshots('weights', name)
  expect(newest!.about).toMatchObject({ version: group.version })
  expect(Buffer.compare(await readWhole(store, newest!), group.recommender.saveWeights())).toBe(0)
}

async function requireEqualStates({ learner, groups, store }: TestLearner): Promise<void> {
  await learner.saveState()
  const complete = completeSettings({ ...settings, store })
  const learners = groups.map(async (group) => {
    const [state] = await store.snapshots('state', group.name)
    const [weights] = await store.snapshots('weights', group.name)
    const { model } = group.recommender
    const saved = {
      weights: await readWhole(store, weights!),
      state: await Array.fromAsync(store.readSnapshot(state!.id)),
    }
    const own = groupSettings(model.engine, group, complete)
    return { name: group.name, recommender: restoreRecommender(model.engine, saved, own) }
  })
  const restored = await Promise.all(learners)
  expect(describeGroups(restored)).toEqual(describeGroups(groups))
  for (const [i, { recommender }] of restored.entries()) {
    expect(rowsOf(recommender)).toEqual(rowsOf(groups[i]!.recommender))
  }
}
