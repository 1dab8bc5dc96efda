import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { svgOf } from './curves-svg.ts'
import { curvesOf, linesOf, methodsIn } from './curves.ts'
import { csvOf } from './downloads.tsx'
import { finalFigures } from './final-panel.tsx'
import type { Race } from './race.ts'

const ink = { ground: '#fff', text: '#000', soft: '#555', grid: '#eee', series: ['#00f', '#f00'] }
const none: ReadonlySet<string> = new Set()

const estimate = (mean: number, standardError = 0.1) => ({ mean, standardError, count: 2 })

/** Clear by reward, and not by regret. */
const comparisons = (method: string, against: string) =>
  [
    { measure: 'finalReward', lower: 0.1, upper: 0.3 },
    { measure: 'cumulativeRegret', lower: -1, upper: 1 },
  ].map((found) => ({ panel: 'syn-s', method, against, difference: estimate(0.2), ...found }))

function race(
  id: string,
  methods: Readonly<Record<string, readonly number[]>>,
  at: number[],
): Race {
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

const one = race('a', { gru4rec: [0.1, 0.2], 'ren-g': [0.2, 0.4] }, [50, 100])
const other = race('b', { random: [0.3] }, [75])

describe('the curves of races', () => {
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
    const odd = race('a', { 'one, "two"\nthree': [1] }, [50])
    expect(csvOf(curvesOf([odd], 'reward', none), 'reward')).toContain(
      'a,syn-s,"one, ""two""\nthree",reward',
    )
  })
})

describe('the drawing of curves', () => {
  const draw = (races: readonly Race[], title = 'Reward') =>
    svgOf({
      title,
      description: 'what was run',
      xLabel: 'step',
      yLabel: 'reward',
      curves: curvesOf(races, 'reward', none),
      ink,
    })

  it('has a line and a band per curve, a legend, a title and the command', () => {
    const svg = draw([one])
    expect(svg.match(/<polyline /g)).toHaveLength(2)
    expect(svg.match(/<polygon /g)).toHaveLength(2)
    for (const words of ['<title id="title">Reward<', '>what was run<', '>ren-g<', '>step<']) {
      expect(svg).toContain(words)
    }
  })

  it('leaves room for the longest number between its axis and its title', () => {
    const wide = race('a', { random: [120_000, 140_000] }, [50, 100])
    const left = (svg: string) => Number(/<text x="([\d.]+)" y="28"/.exec(svg)![1])
    expect(left(draw([one]))).toBe(64)
    expect(left(draw([wide]))).toBe(36 + 6 * 7.5)
  })

  it('shows a curve of one point, and works without any', () => {
    expect(draw([other])).toContain('<circle ')
    expect(draw([])).not.toMatch(/NaN|Infinity/)
  })

  it('lets no name break its markup', () => {
    const anything = fc
      .array(fc.integer({ min: 0, max: 0x10ffff }))
      .map((codes) => String.fromCodePoint(...codes))
    fc.assert(
      fc.property(anything, (title) => {
        const svg = draw([one], title)
        // oxlint-disable-next-line no-control-regex
        expect(svg).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/)
        const written = /<title id="title">([^]*?)<\/title>/.exec(svg)![1]!
        expect(written).not.toMatch(/[<>"]|&(?!amp;|lt;|gt;|quot;)/)
      }),
    )
  })
})

describe('the final figures', () => {
  it('compare each method with the first, and say which is better by the measure', () => {
    const [first, second] = finalFigures([one], 'reward', none)
    expect(first).toMatchObject({ method: 'gru4rec', difference: null, verdict: null })
    expect(second).toMatchObject({ method: 'ren-g', verdict: 'better' })
    expect(second!.difference).toMatchObject({ measure: 'finalReward', against: 'gru4rec' })
  })

  it('call a difference unclear where its interval has 0 in it', () => {
    expect(finalFigures([one], 'regret', none)[1]).toMatchObject({ verdict: 'unclear' })
    expect(finalFigures([one], 'regret', new Set(['ren-g']))).toHaveLength(1)
  })
})
