import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, afterEach } from 'vitest'

import { temporaryFiles } from '../../../test/temporary-files.ts'
import { mean } from '../../core/statistics.ts'
import type {
  UserEvent,
  DemoVariant,
  LogMessage,
  Service,
  ServiceSettings,
} from '../../service/index.ts'
import { bestSynReward } from '../../simulation/index.ts'
import { createMemoryStore, type LoggedRecommendation } from '../../storage/index.ts'
import { createPlayer, openDemo } from './demo.ts'
import { entrantsOf, seeds, catalog, itemName, userName, type Pace } from './settings.ts'

const [entrant] = entrantsOf([1])
const liked: ReadonlySet<number>[] = []

/** Shows all users the same four items and records the reported events; fails at a given call. */
function startPlayer(rounds: number, failsAt = Infinity) {
  const reported: (readonly UserEvent[])[] = []
  const items = catalog().slice(0, 4)
  let calls = 0
  const service = {
    recommend: async () => ({ recommendationId: 'an id', items }) as never,
    async record(events: readonly UserEvent[]) {
      if (++calls === failsAt) throw new Error('the disk is full')
      reported.push(events)
      return {} as never
    },
  }
  const newUser = (likes: ReadonlySet<number>) => userName(liked.push(likes), likes)
  const player = createPlayer({ service, entrant: entrant!, rounds, newUser })
  return { player, reported, shown: items.map(({ item }) => item) }
}

describe('a player', () => {
  it('reports the items with reward 0 and then the chosen one, and no others', async () => {
    const { player, reported, shown } = startPlayer(100)
    await player.playTo(100)
    expect(reported).toHaveLength(100)
    for (const events of reported) {
      const interaction = events.at(-1)!
      expect(
        new Set(events.map(({ user, recommendationId }) => user + recommendationId!)).size,
      ).toBe(1)
      const likes = liked[Number(/\d+/.exec(interaction.user)![0]) - 1]!
      const rewardOf = (item: string): number =>
        [...likes].filter((taste) => item.split(' + ').includes(itemName([taste]))).length
      expect(interaction.reward! * Math.sqrt(6)).toBeCloseTo(rewardOf(interaction.item!))
      expect(rewardOf(interaction.item!)).toBe(Math.max(...shown.map(rewardOf)))
      const others = events.slice(0, -1)
      expect(others.every(({ reward }) => reward === 0)).toBe(true)
      const withoutReward = shown.filter(
        (item) => rewardOf(item) === 0 && item !== interaction.item,
      )
      expect(others.map(({ item }) => item)).toEqual(withoutReward)
    }
  })

  it('repeats a failed round, and plays no other round twice', async () => {
    const { player, reported } = startPlayer(30, 7)
    await expect(player.playTo(20)).rejects.toThrow('the disk is full')
    expect(reported).toHaveLength(6)
    await player.playTo(20)
    await player.playTo(20)
    expect(reported).toHaveLength(20)
    expect(player.describe()).toMatchObject({ at: [10, 20], variant: 'REN 1', seed: 1 })
  })

  it.each([
    [2000, 10, 200],
    [4000, 20, 200],
    [3001, 20, 150],
  ])('has of %i rounds a point every %i, %i in all', async (rounds, every, points) => {
    const { player } = startPlayer(rounds)
    await player.playTo(rounds)
    const { at } = player.describe()
    expect([at[0], at.length]).toEqual([every, points])
  })
})

const { folder } = temporaryFiles()
const open: Service[] = []
afterEach(async () => {
  for (const service of open.splice(0)) await service.close()
})

const noSignal = new AbortController().signal
interface Start {
  readonly store?: ServiceSettings['store']
  readonly rounds?: number
  readonly interval?: Pace['interval']
  readonly seeds?: readonly number[]
}

/** One copy of the world, at full speed by default. */
async function start(options: Start = {}) {
  const { store = ':memory:', rounds = 20, interval = [0, 0], seeds: played = [1] } = options
  const logMessages: LogMessage[] = []
  const pace = { rounds, learnEvery: 5, climb: 10, interval }
  const settings = { entrants: entrantsOf(played), pace }
  const opened = await openDemo(store, (logMessage) => logMessages.push(logMessage), settings)
  open.push(opened.service)
  return { ...opened, logMessages }
}

const isRising = (values: readonly number[]): boolean =>
  values.every((value, i) => i === 0 || value >= values[i - 1]!)

function expectCurves({ at, reward, regret }: DemoVariant, rounds: number): void {
  expect(at).toEqual(Array.from({ length: rounds / 10 }, (_, i) => 10 * (i + 1)))
  expect([reward.length, regret.length]).toEqual([at.length, at.length])
  expect(isRising(regret)).toBe(true)
  expect(Math.min(...reward)).toBeGreaterThan(0)
  expect(Math.max(...reward)).toBeLessThan(bestSynReward + 1e-9)
}

async function slatesIn({ store }: Service): Promise<readonly LoggedRecommendation[]> {
  const events = (await Array.fromAsync(store.read(0))).flat().map(({ event }) => event)
  return events.filter((event) => event.kind === 'recommendation')
}

describe('the demo', () => {
  it('shows REN overtake the greedy model within 200 rounds, in the mean of its seeds', async () => {
    const { demo } = await start({ rounds: 200, seeds })
    await demo.run(noSignal)
    const { variants } = demo.describe()
    for (const variant of variants) expectCurves(variant, 200)
    const after = (rounds: number, policy: string): number =>
      mean(
        variants
          .filter((variant) => variant.policy === policy)
          .map(({ reward }) => reward[rounds / 10 - 1]!),
      )
    expect(after(20, 'REN')).toBeLessThan(after(20, 'greedy'))
    expect(after(200, 'REN')).toBeGreaterThan(after(200, 'greedy') + 0.03)
  }, 60_000)

  it('runs both policies in one world, each with its own users and model', async () => {
    const { service, demo, logMessages } = await start({
      store: join(folder, 'played.db'),
      rounds: 150,
    })
    await demo.run(noSignal)
    const { state, world, rounds, variants } = demo.describe()
    expect([state, rounds]).toEqual(['done', 150])
    expect(world).toMatch(/^Simulated users, no real ones/)
    expect(variants.map(({ variant, policy, seed }) => [variant, policy, seed])).toEqual([
      ['REN 1', 'REN', 1],
      ['greedy 1', 'greedy', 1],
    ])
    for (const variant of variants) expectCurves(variant, 150)
    expect(variants[0]!.reward).not.toEqual(variants[1]!.reward)

    const slates = await slatesIn(service)
    expect(slates).toHaveLength(300)
    const usersOf = (variant: string) => {
      return new Set(slates.filter((slate) => slate.variant === variant).map(({ user }) => user))
    }
    const [ren, greedy] = [usersOf('REN 1'), usersOf('greedy 1')]
    expect([ren.size, greedy.size]).toEqual([15, 15])
    expect(ren.isDisjointFrom(greedy)).toBe(true)
    for (const user of [...ren, ...greedy]) {
      expect(user).toMatch(/^simulated \d+ \(\w+, \w+, \w+\)$/)
      const { variant, slates: served } = service.users.get(user)!
      expect((variant === 'REN 1' ? ren : greedy).has(user)).toBe(true)
      expect(served).toBeGreaterThan(0)
    }
    // They like the same: what differs is who recommends.
    const tastes = (users: ReadonlySet<string>) => {
      return Array.from(users, (user) => user.replace(/^.* \(/, '')).toSorted()
    }
    expect(tastes(ren)).toEqual(tastes(greedy))
    for (const { version } of service.model.current()) expect(version).toBeGreaterThan(20)
    expect(logMessages.filter(({ level }) => level === 'error')).toEqual([])
  }, 60_000)

  it('shows the same curves at any speed', async () => {
    const [fast, slow] = [await start(), await start({ interval: [40, 1] })]
    await Promise.all([fast, slow].map(({ demo }) => demo.run(noSignal)))
    expect(slow.demo.describe()).toEqual(fast.demo.describe())
  })

  it('stops between rounds while paused, and continues when resumed', async () => {
    const { service, demo } = await start()
    demo.set('paused')
    const playing = demo.run(noSignal)
    await delay(50)
    expect(demo.describe().state).toBe('paused')
    expect(await slatesIn(service)).toEqual([])
    demo.set('running')
    expect(demo.describe().state).toBe('running')
    await playing
    expect(demo.describe().state).toBe('done')
  })

  it('stops at once, while waiting or paused', async () => {
    const { demo } = await start({ interval: [60_000, 60_000] })
    for (const state of ['running', 'paused'] as const) {
      demo.set(state)
      const stop = new AbortController()
      const playing = demo.run(stop.signal)
      await delay(20)
      stop.abort()
      await playing
      expect(demo.describe().state).toBe(state)
    }
  })

  it('pauses with a warning when the store accepts no more events, while the service continues', async () => {
    const inner = createMemoryStore()
    let isFull = false
    const store = {
      ...inner,
      append: (...args: Parameters<typeof inner.append>) =>
        isFull ? Promise.reject(new Error('the disk is full')) : inner.append(...args),
    }
    const { service, demo, logMessages } = await start({ store })
    isFull = true
    const playing = demo.run(noSignal)
    while (demo.describe().state !== 'paused') await delay(5)
    const reported = logMessages.filter(({ message }) => message.startsWith('the demo is paused'))
    expect(reported.map(({ level }) => level)).toEqual(['warning'])
    expect(reported[0]!.message).toContain('the disk is full')
    expect((await service.recommend({ user: 'ann', count: 2, record: false })).items).toHaveLength(
      2,
    )
    isFull = false
    demo.set('running')
    await playing
    for (const variant of demo.describe().variants) expectCurves(variant, 20)
  })
})
