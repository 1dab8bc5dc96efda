import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { RunRow } from './protocol.ts'
import { estimate, summarize } from './summary.ts'

function row(change: Partial<RunRow> = {}): RunRow {
  return {
    panel: 'syn-s',
    method: 'ren-g',
    seed: 1,
    at: [1, 2],
    series: { reward: [0.25, 0.5] },
    measures: { finalReward: 0.5 },
    milliseconds: 7,
    ...change,
  }
}

const runs = (method: string, values: readonly number[], panel = 'syn-s'): RunRow[] =>
  values.map((finalReward, seed) => row({ panel, method, seed, measures: { finalReward } }))

const pairing = { method: 'ren-g', against: 'gru4rec', measure: 'finalReward' }
const value = fc.double({ min: -1000, max: 1000, noNaN: true })

describe('an estimate', () => {
  it('is the mean with its standard error', () => {
    // Deviation of 2, 4, 4, 4, 5, 5, 7, 9 with n − 1: √(32/7).
    expect(estimate([2, 4, 4, 4, 5, 5, 7, 9])).toEqual({
      mean: 5,
      standardError: Math.sqrt(32 / 7 / 8),
      count: 8,
    })
  })

  it('has no error for one run', () => {
    expect(estimate([0.7])).toEqual({ mean: 0.7, standardError: 0, count: 1 })
  })

  it('is equivariant under shifts and factors', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 20 }), value, (values, shift) => {
        const before = estimate(values)
        const after = estimate(values.map((x) => shift - 3 * x))
        expect(after.mean).toBeCloseTo(shift - 3 * before.mean, 6)
        expect(after.standardError).toBeCloseTo(3 * before.standardError, 6)
      }),
    )
  })
})

describe('a summary', () => {
  it('averages every point and measure over seeds', () => {
    const other = row({ seed: 2, series: { reward: [0.75, 0.5] }, measures: { finalReward: 1 } })
    expect(summarize('plan', [row(), other], [])).toEqual({
      plan: 'plan',
      methods: [
        {
          panel: 'syn-s',
          method: 'ren-g',
          at: [1, 2],
          series: {
            reward: [
              { mean: 0.5, standardError: 0.25, count: 2 },
              { mean: 0.5, standardError: 0, count: 2 },
            ],
          },
          measures: { finalReward: { mean: 0.75, standardError: 0.25, count: 2 } },
        },
      ],
      comparisons: [],
    })
  })

  it('retains the order of first appearance of panels and methods', () => {
    const rows = [
      row({ panel: 'syn-l', method: 'random' }),
      row({ method: 'ren-g' }),
      row({ panel: 'syn-l', method: 'oracle' }),
      row({ method: 'random' }),
    ]
    const { methods } = summarize('plan', rows, [])
    expect(methods.map(({ panel, method }) => `${panel} ${method}`)).toEqual([
      'syn-l random',
      'syn-l oracle',
      'syn-s ren-g',
      'syn-s random',
    ])
  })

  it('is equal to the bit for any order of runs', () => {
    const rows = runs('ren-g', [0.1, 0.2, 0.3, 0.7, 1e-9, 1e6])
    const expected = summarize('plan', rows, [])
    const shuffled = fc.shuffledSubarray(rows, { minLength: rows.length })
    fc.assert(
      fc.property(shuffled, (some) => {
        expect(summarize('plan', some, [])).toEqual(expected)
      }),
    )
  })

  it('round-trips through JSON', () => {
    const rows = [...runs('ren-g', [0.5]), ...runs('gru4rec', [0.25])]
    const summary = summarize('plan', rows, [pairing])
    expect(JSON.parse(JSON.stringify(summary))).toEqual(summary)
  })
})

describe('a comparison', () => {
  it('is the mean difference on shared seeds, with the interval of Student’s t', () => {
    const rows = [...runs('ren-g', [1, 2, 4, 9]), ...runs('gru4rec', [0, 0, 0])]
    const [found] = summarize('plan', rows, [pairing]).comparisons
    const error = Math.sqrt(7 / 3 / 3)
    expect(found!.difference.mean).toBeCloseTo(7 / 3, 12)
    expect(found!.difference.standardError).toBeCloseTo(error, 12)
    expect(found!.difference.count).toBe(3)
    expect(found!.upper - found!.difference.mean).toBeCloseTo(4.3026527 * error, 6)
    expect(found!.difference.mean - found!.lower).toBeCloseTo(4.3026527 * error, 6)
  })

  it('cancels effects of a seed that both methods share', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 2, maxLength: 20 }), value, (luck, lead) => {
        const rows = [
          ...runs(
            'ren-g',
            luck.map((x) => x + lead),
          ),
          ...runs('gru4rec', luck),
        ]
        const [{ lower, upper }] = summarize('plan', rows, [pairing]).comparisons as [never]
        expect(lower).toBeCloseTo(lead, 6)
        expect(upper).toBeCloseTo(lead, 6)
      }),
    )
  })

  it('changes its sign if the methods are swapped', () => {
    const some = fc.array(value, { minLength: 2, maxLength: 9 })
    fc.assert(
      fc.property(some, some, (one, two) => {
        const rows = [...runs('ren-g', one), ...runs('gru4rec', two)]
        const back = { ...pairing, method: 'gru4rec', against: 'ren-g' }
        const [there, thence] = summarize('plan', rows, [pairing, back]).comparisons
        expect(thence!.lower).toBeCloseTo(-there!.upper, 6)
        expect(thence!.upper).toBeCloseTo(-there!.lower, 6)
      }),
    )
  })

  it('exists in each panel with at least two common seeds', () => {
    const rows = [
      ...runs('ren-g', [1, 2], 'a'),
      ...runs('gru4rec', [1, 2], 'a'),
      ...runs('ren-g', [1, 2], 'b'),
      ...runs('gru4rec', [1], 'b'),
      ...runs('ren-g', [1, 2], 'c'),
    ]
    const { comparisons } = summarize('plan', rows, [pairing])
    expect(comparisons.map(({ panel }) => panel)).toEqual(['a'])
  })

  it('is omitted in panels whose runs are too short for the measure', () => {
    const short = ['ren-g', 'gru4rec'].flatMap((method) =>
      runs(method, [1, 2], 'b').map((run) => ({ ...run, measures: { meanReward: 1 } })),
    )
    const rows = [...runs('ren-g', [1, 2], 'a'), ...runs('gru4rec', [1, 2], 'a'), ...short]
    const { comparisons } = summarize('plan', rows, [pairing])
    expect(comparisons.map(({ panel }) => panel)).toEqual(['a'])
  })
})
