import { describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { mean } from '../core/statistics.ts'
import { createGenres } from './genres.ts'
import { run, type Row } from './run.ts'

/** Shows the items that `choose` returns. */
function play(options: object, choose: (names: readonly string[]) => readonly string[]): Row[] {
  const world = createGenres({ seed: 1, ...options })
  const recommend = () => ({ items: choose(world.itemNames).map((item) => ({ item })) })
  return [...run(world, { recommend, observe() {}, fineTune() {} })]
}

/** The genre of each item, from its vector. */
function genresOf(options: object): ReadonlyMap<string, number> {
  const { warmUp } = createGenres({ seed: 1, ...options })
  const [event] = warmUp!.events
  if (event?.kind !== 'items-put') throw new Error('expected items')
  return new Map(event.items.map(({ item, embedding }) => [item, embedding!.indexOf(1)]))
}

describe('the world of genres', () => {
  it('gives each item the unit vector of its genre, with ten items per genre', () => {
    const world = createGenres({ seed: 1 })
    expect(world.vectorDimension).toBe(20)
    const [event] = world.warmUp!.events
    if (event?.kind !== 'items-put') throw new Error('expected items')
    expect(event.items.map(({ item }) => item)).toEqual(world.itemNames)
    for (const { embedding } of event.items) {
      expect(embedding).toHaveLength(20)
      expect(embedding!.toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 20 }, (_, i) => Number(i === 19)),
      )
    }
    const counts = Map.groupBy(genresOf({}).values(), (genre) => genre)
    expect([...counts.values()].map(({ length }) => length)).toEqual(
      Array.from({ length: 20 }, () => 10),
    )
  })

  it('rewards the share of items of the genre that the user likes, and reports every item', () => {
    const genres = genresOf({})
    const whole = [...genres].filter(([, genre]) => genre === 7).map(([item]) => item)
    const mixed = [
      ...whole.slice(0, 3),
      ...[...genres.keys()].filter((item) => !whole.includes(item)),
    ]
    const rows = play({ steps: 400 }, () => mixed.slice(0, 10))
    const liked = rows.filter(({ reported }) => reported[0] === 1)
    expect(liked.length).toBeGreaterThan(0)
    expect(liked.length % 4).toBe(0)
    for (const { reward, bestReward, reported, chosen, relevantCount } of liked) {
      expect(reward).toBe(0.3)
      expect(bestReward).toBe(1)
      expect(reported).toEqual([1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
      expect(chosen).toEqual([0, 1, 2])
      expect(relevantCount).toBe(10)
    }
  })

  it('has a new user every four rounds, who likes a random genre', () => {
    const rows = play({ steps: 2000 }, (names) => names.slice(0, 10))
    expect(rows.map(({ user }) => user)).toEqual(rows.map((_, i) => `user ${Math.floor(i / 4)}`))
    const world = createGenres({ seed: 1, steps: 2000 })
    const genres = genresOf({ steps: 2000 })
    const liked: number[] = []
    for (let round = world.nextRound(); round; round = world.nextRound())
      liked.push(genres.get(world.bestSlate(round)[0]!)!)
    for (let i = 0; i < 2000; i += 4) expect(new Set(liked.slice(i, i + 4)).size).toBe(1)
    expect(new Set(liked).size).toBe(20)
  })

  it('gives a random slate a reward of one in 20', () => {
    const random = createRandom(5)
    const steps = 20_000
    const rewards = play({ steps }, (names) =>
      Array.from(random.choose(10, names.length), (k) => names[k]!),
    ).map(({ reward }) => reward)
    const deviation = Math.sqrt(mean(rewards.map((reward) => (reward - 0.05) ** 2)))
    expect(Math.abs(mean(rewards) - 0.05)).toBeLessThan((4 * deviation) / Math.sqrt(steps))
  })

  it('rewards a plan of ten genres, ten others and then the right one with 0.65', () => {
    // By hand: half of the users like one of the first ten genres.
    // (0.05 + (0.5·1 + 0.5·0.1) + 1 + 1)/4 = 0.65
    const genres = genresOf({})
    const perGenre = Map.groupBy(genres, ([, genre]) => genre)
    const one = [...perGenre.values()].map((items) => items[0]![0])
    const world = createGenres({ seed: 1, steps: 8000 })
    const found = new Map<string, string>()
    const visits = new Map<string, number>()
    const rewards: number[] = []
    for (let round = world.nextRound(); round; round = world.nextRound()) {
      const visit = visits.get(round.user) ?? 0
      visits.set(round.user, visit + 1)
      const hit = found.get(round.user)
      const genre = perGenre.get(genres.get(hit ?? '') ?? -1)
      const slate = genre?.map(([item]) => item) ?? one.slice(10 * visit, 10 * visit + 10)
      const { reward, chosen } = world.respond(round, slate)
      if (chosen.length > 0) found.set(round.user, slate[chosen[0]!]!)
      rewards.push(reward)
    }
    expect(Math.abs(mean(rewards) - 0.65)).toBeLessThan(0.02)
  })

  it.each([
    { genres: 0 },
    { itemsPerGenre: 0 },
    { visits: 0 },
    { slateSize: 201 },
    { steps: 0 },
    { learnEvery: 0 },
  ])('refuses %o', (options) => {
    expect(() => createGenres({ seed: 1, ...options })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })
})
