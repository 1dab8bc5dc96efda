// Runs the contract of worlds on every world.

import { describe, expect, it } from 'vitest'
import * as simulation from 'ren-recommender/simulation'
import type { Environment } from 'ren-recommender/simulation'
import { createRandom, sortLog } from 'ren-recommender'
import type { InteractionLog } from 'ren-recommender'
import { createImpressions } from '../../paper/impressions/environment.ts'
import { createCohorts } from '../../paper/worlds/cohorts.ts'
import { describeEnvironment } from './environment.ts'

const names = (what: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${what} ${i}`)
const itemNames = names('item', 30)
const userNames = names('user', 8)

/** A generated log of eight users and thirty items, one interaction per minute. */
function generatedLog(rows: number): InteractionLog {
  const random = createRandom('made log')
  const draw = (count: number) => Int32Array.from({ length: rows }, () => random.integer(count))
  return sortLog({
    users: draw(userNames.length),
    items: draw(itemNames.length),
    rewards: Float32Array.from({ length: rows }, () => 1 + random.integer(5)),
    times: Float64Array.from({ length: rows }, (_, i) => 60_000 * i),
    userNames,
    itemNames,
  })
}

/** Lists of six items with one click each, two lists per minute. */
function generatedImpressions(rows: number) {
  const random = createRandom('made impressions')
  const lists = (length: number) => ({
    offsets: Int32Array.from({ length: rows + 1 }, (_, i) => i * length),
    values: Int32Array.from(
      Array.from({ length: rows }, () => [...random.choose(length, itemNames.length)]).flat(),
    ),
  })
  const clicked = Uint8Array.from({ length: 6 * rows }, (_, i) => Number(i % 6 === 2))
  return {
    users: Int32Array.from({ length: rows }, () => random.integer(userNames.length)),
    times: Float64Array.from({ length: rows }, (_, i) => 30_000 * i),
    shown: lists(6),
    clicked,
    histories: lists(2),
    userNames,
    itemNames,
  }
}

const shared = { seed: 3, slateSize: 3 }
const worlds: Readonly<Record<string, () => Environment>> = {
  createSyn: () => simulation.createSyn({ ...shared, repeats: 1, steps: 40 }),
  createGenres: () => simulation.createGenres({ ...shared, steps: 40 }),
  createColdContent: () => simulation.createColdContent({ ...shared, steps: 40, liveItems: 12 }),
  createCohorts: () =>
    createCohorts({
      ...shared,
      itemNames,
      users: userNames.map((name, i) => ({ name, items: itemNames.slice(i, i + 9) })),
      cohorts: 2,
      sweeps: 3,
      learnEvery: 5,
    }),
  createLogByTime: () =>
    simulation.createLogByTime(generatedLog(200), {
      ...shared,
      interval: 600_000,
      warmUpFineTunes: 1,
    }),
  createImpressions: () =>
    createImpressions(generatedImpressions(60), {
      slateSize: 3,
      interval: 300_000,
      warmUpIntervals: 2,
      warmUpFineTunes: 1,
    }),
}

/** Exports that create no environment. */
const others = ['createTally']

it('covers every world that simulation exports', () => {
  const creators = Object.keys(simulation).filter((name) => name.startsWith('create'))
  const { createCohorts: _, createImpressions: __, ...exported } = worlds
  expect(creators.toSorted()).toEqual([...Object.keys(exported), ...others].toSorted())
})

describe.each(Object.entries(worlds))('the world of %s', (_, create) => {
  describeEnvironment(create)
})
