import { describe, expect, it } from 'vitest'

import { RenError } from '../../src/core/errors.ts'
import type { RunRow } from '../../src/experiments/protocol.ts'
import { requireSummable } from './check-rows.ts'

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

describe('rows that cannot be averaged are refused:', () => {
  it.each<[string, RunRow[], string, RegExp]>([
    [
      'points at other steps',
      [row(), row({ seed: 2, at: [1, 3] })],
      'invalid-argument',
      /ren-g in syn-s, seed 2, must have the points `at` of seed 1 \(1, 2\), got 1, 3/,
    ],
    ['other series', [row(), row({ seed: 2, series: {} })], 'invalid-argument', /series of seed 1/],
    ['other measures', [row(), row({ seed: 2, measures: {} })], 'invalid-argument', /measures/],
    ['a duplicate seed', [row(), row()], 'invalid-argument', /seed 1, must have one row per seed/],
    ['a short series', [row({ at: [1, 2, 3] })], 'shape-mismatch', /3 values of reward, got 2/],
  ])('%s', (_, rows, code, message) => {
    const attempt = () => requireSummable(rows, [])
    expect(attempt).toThrow(RenError)
    expect(attempt).toThrow(expect.objectContaining({ code }))
    expect(attempt).toThrow(message)
  })

  it('a comparison by a measure that no run has', () => {
    const rows = [...runs('ren-g', [1, 2]), ...runs('gru4rec', [1, 2])]
    const attempt = () => requireSummable(rows, [{ ...pairing, measure: 'regret' }])
    expect(attempt).toThrow(/a measure regret to compare by, got finalReward/)
  })
})
