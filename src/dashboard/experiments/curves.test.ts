import { describe, expect, it } from 'vitest'

import { csvOf, curvesOf, linesOf, methodsIn } from './curves.ts'
import { finalFigures } from './final-panel.tsx'
import type { Run } from './run.ts'

const none: ReadonlySet<string> = new Set()

const estimate = (mean: number, standardError = 0.1) => ({ mean, standardError, count: 2 })

/** Clear by reward, and not by regret. */
const comparisons = (method: string, against: string) =>
  [
    { measure: 'finalReward', lower: 0.1, upper: 0.3 },
    { measure: 'cumulativeRegret', lower: -1, upper: 1 },
  ].map((found) => ({ panel: 'syn-s', method, against, difference: estimate(0.2), ...found }))

function run(id: string, methods: Readonly<Record<string, readonly number[]>>, at: number[]): Run {
  const names = Object.keys(methods)
  return {
    job: {
      id,
      state: 'done',
      request: { kind: 'race', settings: { seeds: '1..2' } },
      created: 0,
      ended: 1,
      progress: { share: 1, message: '' },
    },
    world: 'syn-s',
    methods: names,
    extent: '',
    title: `run ${id}`,
    result: {
      world: 'syn-s',
      runs: 2,
      failures: [],
      summary: {
        plan: 'race',
        methods: Object.entries(methods).map(([method, means]) => ({
          panel: 'syn-s',
          method,
          at,
          series: { reward: means.map((mean) => estimate(mean)) },
          measures: { finalReward: estimate(means.at(-1)!), cumulativeRegret: estimate(3) },
        })),
        comparisons: names.slice(1).flatMap((method) => comparisons(method, names[0]!)),
      },
    },
  }
}

const one = run('a', { gru4rec: [0.1, 0.2], 'ren-g': [0.2, 0.4] }, [50, 100])
const other = run('b', { random: [0.3] }, [75])

describe('the curves of runs', () => {
  it('are named by method, and by run if there are several', () => {
    expect(curvesOf([one], 'reward', none).map(({ label }) => label)).toEqual(['gru4rec', 'ren-g'])
    expect(curvesOf([one, other], 'reward', none).map(({ label }) => label)).toEqual([
      'gru4rec (run a)',
      'ren-g (run a)',
      'random (run b)',
    ])
  })

  it('retain their colors when others are hidden', () => {
    const [left] = curvesOf([one], 'reward', new Set(['gru4rec']))
    expect(left).toMatchObject({ method: 'ren-g', color: 0, seeds: 2 })
    const [, right] = curvesOf([one, one, other], 'reward', new Set(['gru4rec']))
    expect(right).toMatchObject({ method: 'ren-g', color: 4 })
    expect(methodsIn([one, other, one])).toEqual(['gru4rec', 'ren-g', 'random'])
  })

  it('share one axis, each with values and bands at its own points', () => {
    const { x, lines } = linesOf(curvesOf([one, other], 'reward', none))
    expect(x).toEqual([50, 75, 100])
    expect(lines.map(({ values }) => values)).toEqual([
      [0.1, null, 0.2],
      [0.2, null, 0.4],
      [null, 0.3, null],
    ])
    expect(lines[0]!.high![2]).toBeCloseTo(0.3)
    expect(lines[2]!.low).toEqual([null, expect.closeTo(0.2), null])
  })

  it('are a table with one row per point', () => {
    const [header, first, ...rest] = csvOf(curvesOf([one], 'reward', none), 'reward').split('\r\n')
    expect(header).toBe('run,world,method,measure,step,mean,standard_error,seeds')
    expect(first).toBe('a,syn-s,gru4rec,reward,50,0.1,0.1,2')
    expect(rest).toHaveLength(4)
    expect(rest.at(-1)).toBe('')
  })

  it('are a table that quotes any name', () => {
    const odd = run('a', { 'one, "two"\nthree': [1] }, [50])
    expect(csvOf(curvesOf([odd], 'reward', none), 'reward')).toContain(
      'a,syn-s,"one, ""two""\nthree",reward',
    )
  })
})

describe('the final results', () => {
  it('compare each method with the first, and say which is better by the measure', () => {
    const [first, second] = finalFigures([one], 'reward', none)
    expect(first).toMatchObject({ method: 'gru4rec', difference: null, verdict: null })
    expect(second).toMatchObject({ method: 'ren-g', verdict: 'better' })
    expect(second!.difference).toMatchObject({ measure: 'finalReward', against: 'gru4rec' })
  })

  it('call a difference unclear if its interval contains 0', () => {
    expect(finalFigures([one], 'regret', none)[1]).toMatchObject({ verdict: 'unclear' })
    expect(finalFigures([one], 'regret', new Set(['ren-g']))).toHaveLength(1)
  })
})
