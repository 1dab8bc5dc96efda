import { describe, expect, it } from 'vitest'
import { race } from './race.ts'

const measuresAfter = async (steps: number) => {
  const world = { kind: 'syn-s', steps, users: 1 }
  const job = {
    protocol: 'race',
    panel: 'p',
    label: 'm',
    method: 'random',
    settings: {},
    seed: 1,
    world,
  }
  return (await race.run(job, () => {})).measures
}

describe('the measures of a race', () => {
  it('include the reward at a step only if the run is that long', async () => {
    const [short, middle, long] = await Promise.all([499, 500, 900].map(measuresAfter))
    const places = [short, middle, long].map((measures) =>
      Object.keys(measures!).filter((name) => name.startsWith('at')),
    )
    expect(places).toEqual([[], ['at500'], ['at500', 'at900']])
    expect(middle!['at500']).toBe(middle!['finalReward'])
  })
})

it('has the same row on any number of threads', async () => {
  const world = { kind: 'syn-s', steps: 40, users: 4 }
  const settings = { dimension: 32 }
  const job = {
    protocol: 'race',
    panel: 'p',
    label: 'm',
    method: 'ren-g',
    settings,
    seed: 1,
    world,
  }
  const [one, two] = [await race.run(job, () => {}, 1), await race.run(job, () => {}, 2)]
  expect({ ...two, milliseconds: 0 }).toEqual({ ...one, milliseconds: 0 })
})
