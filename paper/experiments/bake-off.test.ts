import { expect, it } from 'vitest'

import type { RunRow } from '../../src/experiments/protocol.ts'
import { bakeOffTable, regretBars, worldsOf } from './bake-off.ts'

/** A run whose regret is that of 100 rounds with an optimum of 1. */
const row = (method: string, seed: number, meanReward: number): RunRow => ({
  panel: 'a',
  method,
  seed,
  at: [],
  series: {},
  measures: { meanReward, cumulativeRegret: 100 * (1 - meanReward) },
  milliseconds: 1,
})

const panels = [{ name: 'a', title: 'World A' }]
const noise = [0, 0.01, -0.01, 0.02]
const runsOf = (method: string, reward: number, scale = 1): RunRow[] =>
  noise.map((shift, seed) => row(method, seed, reward + scale * shift))

it('says which methods are ahead by more than their interval', () => {
  // Greedy has the same noise as the others, so differences to it are exact; LinTS has the opposite.
  const rows = [
    ...runsOf('Hierarchical', 0.8),
    ...runsOf('Greedy', 0.81),
    ...runsOf('LinTS', 0.805, -1),
    ...runsOf('Oracle', 1),
  ]
  const [world] = worldsOf({ panels, rows })
  expect(world!.standings.map(({ method, behind }) => [method, behind])).toEqual([
    ['Hierarchical', ['Greedy']],
    ['Greedy', []],
    ['LinTS', []],
  ])
})

it('shows shares of the best mean reward, with the lowest below', () => {
  const rows = [...runsOf('Hierarchical', 0.8), ...runsOf('GRU4Rec', 0.4)]
  const lines = bakeOffTable(worldsOf({ panels, rows })).split('\n')
  const cells = lines.map((line) => line.split('|').map((cell) => cell.trim()))
  expect(cells[2]!.slice(1, 4)).toEqual(['World A (4)', '**100.0**', '50.3'])
  expect(cells[3]!.slice(1, 4)).toEqual([
    'best, or not distinguishable from it',
    '1 of 1',
    '0 of 1',
  ])
  expect(cells[4]!.slice(2, 4)).toEqual(['100.0', '50.3'])
  expect(cells[2]![4]).toBe('–')
})

it('counts worlds in which the regret is within a tenth of the lowest', () => {
  const bars = (reward: number) =>
    regretBars(
      worldsOf({ panels, rows: [...runsOf('Hierarchical', reward), ...runsOf('Greedy', 0.8)] }),
      'hierarchical',
    )
  expect(bars(0.79)).toMatchObject({ worlds: 1, unbeaten: 0, near: 1, far: [] })
  expect(bars(0.7)).toMatchObject({
    unbeaten: 0,
    near: 0,
    beaten: ['World A (Greedy)'],
    far: ['World A'],
  })
  expect(bars(0.9)).toMatchObject({ unbeaten: 1, near: 1, beaten: [] })
})
