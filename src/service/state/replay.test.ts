// After any sequence of calls, the state of a service equals that of a replay of its log, and that
// of a start from a snapshot.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { closeServices, copyOfLog, describeState, startService } from '../../../test/services.ts'
import { createMemoryStore } from '../../storage/index.ts'
import type { VariantComparison } from '../schemas/figures.ts'
import type { Service } from '../service.ts'
import type { ServiceSettings } from '../settings.ts'

closeServices()

const user = fc.constantFrom('ann', 'bob', 'cem', 'dan')
const item = fc.constantFrom('a', 'b', 'c', 'd', 'new')
const anyReward = fc.constantFrom(-1, 0, 0.5, 1)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('recommend' as const), user }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('record' as const),
      user,
      item,
      reward: anyReward,
      slate: fc.option(fc.nat(3), { nil: undefined }),
      seen: fc.option(fc.array(item, { maxLength: 3 }), { nil: undefined }),
      time: fc.integer({ min: 0, max: 100 }),
    }),
  },
  fc.record({ kind: fc.constant('put' as const), item, like: fc.boolean() }),
  fc.record({ kind: fc.constant('remove' as const), item }),
  fc.record({ kind: fc.constant('merge' as const), user, other: user }),
  fc.record({ kind: fc.constant('erase' as const), user }),
  fc.record({ kind: fc.constant('restart' as const) }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const settings: Omit<ServiceSettings, 'store'> = {
  variants: ['one', 'two'].map((name) => ({ name, method: 'ren-g', settings: { dimension: 3 } })),
  maxPerUser: { history: 4, impressions: 8 },
}

/** Runs a step; `slates` are the ids of the slates so far. */
async function take(service: Service, one: Step, slates: string[]): Promise<void> {
  const { items, users } = service
  switch (one.kind) {
    case 'recommend': {
      const { recommendationId } = await service.recommend({ user: one.user, count: 2 })
      if (recommendationId !== null) slates.push(recommendationId)
      return
    }
    case 'record': {
      const { user: who, slate, seen, time } = one
      const recommendationId = slate === undefined ? undefined : slates.at(-1 - slate)
      const answer = recommendationId === undefined ? {} : { recommendationId }
      const impressions = recommendationId && seen ? { impressions: seen } : {}
      const event = { user: who, item: one.item, reward: one.reward, time }
      await service.record([{ ...event, ...answer, ...impressions }])
      return
    }
    case 'put':
      await items.put([{ item: one.item, ...(one.like && { like: ['a'] }) }])
      return
    case 'remove':
      if (items.get(one.item)) await items.remove([one.item])
      return
    case 'merge':
      if (one.user !== one.other) await users.merge(one.user, one.other)
      return
    case 'erase':
      await users.erase(one.user)
      return
    default:
  }
}

async function checkSteps(steps: readonly Step[], impressions: 'served' | 'confirmed') {
  const store = createMemoryStore()
  const slates: string[] = []
  const open = () => startService({ ...settings, impressions, store }, ['a', 'b', 'c', 'd'])
  let { service } = await open()
  for (const one of steps) {
    if (one.kind === 'restart') {
      await service.close()
      service = (await open()).service
    } else await take(service, one, slates)
  }
  await service.record([{ user: 'eve', item: 'a' }])
  const replay = await startService({ ...settings, store: await copyOfLog(store) })
  expect(describeState(replay.service)).toEqual(describeState(service))
  checkComparison(service.compareVariants(), replay.service.compareVariants())
  await Promise.all([service.close(), replay.service.close()])
}

/** Compares incremental sums with sums over all users. */
function checkComparison(followed: VariantComparison, summed: VariantComparison): void {
  for (const [i, { reward, interval: _, ...counts }] of followed.variants.entries()) {
    const { reward: expected, interval: __, ...others } = summed.variants[i]!
    expect(counts).toEqual(others)
    expect(reward === null).toBe(expected === null)
    if (reward !== null) expect(reward).toBeCloseTo(expected!, 6)
  }
}

test('a service is a fold of its log, through merges, erasures and restarts', async () => {
  const steps = fc.array(step, { maxLength: 30 })
  const impressions = fc.constantFrom('served' as const, 'confirmed' as const)
  await fc.assert(fc.asyncProperty(steps, impressions, checkSteps), { numRuns: 30 })
})
