import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { RunRow } from '../../src/experiments/protocol.ts'
import { summarize } from '../../src/experiments/summary.ts'
import { formatEstimate, markdownTable, type TableSpec } from './table.ts'

const run = (panel: string, method: string, seed: number, reward: number): RunRow => ({
  panel,
  method,
  seed,
  at: [],
  series: {},
  measures: { finalReward: reward, regret: 100 * (1 - reward) },
  milliseconds: 1,
})

const summary = summarize(
  'plan',
  [
    run('s', 'REN-G', 1, 0.77),
    run('s', 'REN-G', 2, 0.79),
    run('s', 'GRU4Rec', 1, 0.6),
    run('s', 'GRU4Rec', 2, 0.65),
    run('l', 'REN-G', 1, 0.8),
  ],
  [
    { method: 'REN-G', against: 'GRU4Rec', measure: 'finalReward' },
    { method: 'GRU4Rec', against: 'REN-G', measure: 'finalReward' },
    { method: 'REN-G', against: 'GRU4Rec', measure: 'regret' },
  ],
)

const spec: TableSpec = {
  panels: [
    { name: 's', title: 'SYN-S' },
    { name: 'l', title: 'SYN-L' },
  ],
  methods: [{ name: 'GRU4Rec' }, { name: 'REN-G' }],
  table: { measures: [{ name: 'finalReward', title: 'last 100 steps' }] },
}

function expectFixedPoint(markdown: string) {
  const formatter = 'node_modules/.bin/oxfmt'
  expect(
    execFileSync(formatter, ['--stdin-filepath', 'a.md'], { input: markdown }).toString(),
  ).toBe(markdown)
}

describe('the table of a summary', () => {
  it('has one row per panel if there are more panels than methods', () => {
    const methods = [{ name: 'REN-G' }]
    const [table] = markdownTable({ ...spec, methods }, summary).split('\n\n')
    expect(table).toBe(
      [
        '| panel |         REN-G |',
        '| ----- | ------------: |',
        '| SYN-S | 0.780 ± 0.010 |',
        '| SYN-L |        0.8000 |',
      ].join('\n'),
    )
    const measures = [...spec.table.measures, { name: 'regret', title: 'regret' }]
    const two = markdownTable({ ...spec, methods, table: { measures } }, summary)
    expect(two.split('\n')[0]).toBe('| panel | last 100 steps, REN-G | regret, REN-G |')
    expectFixedPoint(two)
  })

  it('has one row per method, one column per panel, and the paired differences below', () => {
    expect(markdownTable(spec, summary)).toBe(
      [
        '| method  |         SYN-S |  SYN-L |',
        '| ------- | ------------: | -----: |',
        '| GRU4Rec | 0.625 ± 0.025 |      – |',
        '| REN-G   | 0.780 ± 0.010 | 0.8000 |',
        '',
        '| panel | measure        | methods         |         difference (95%) | seeds |',
        '| ----- | -------------- | --------------- | -----------------------: | ----: |',
        '| SYN-S | last 100 steps | REN-G − GRU4Rec | +0.155 (−0.036 … +0.346) |     2 |',
        '| SYN-S | last 100 steps | GRU4Rec − REN-G | −0.155 (−0.346 … +0.036) |     2 |',
        '',
      ].join('\n'),
    )
  })

  it('names the measure if there are several', () => {
    const table = { measures: [...spec.table.measures, { name: 'regret', title: 'regret' }] }
    const [both] = markdownTable({ ...spec, table }, summary).split('\n')
    expect(both).toMatch(/last 100 steps, SYN-S \|.*\| +regret, SYN-L \|$/)
    const [one] = markdownTable({ ...spec, table, panels: [spec.panels[0]!] }, summary).split('\n')
    expect(one).toMatch(/^\| method +\| last 100 steps \| +regret \|$/)
  })

  it('is not changed by the formatter', () => {
    expectFixedPoint(markdownTable(spec, summary))
    const methods = [{ name: 'REN | λ = 0.1' }]
    expectFixedPoint(markdownTable({ ...spec, methods }, summary))
  })
})

describe('a formatted estimate', () => {
  it.each([
    [0.7764, 0.0088, '0.776 ± 0.009'],
    [0.6412, 0.0271, '0.641 ± 0.027'],
    [0.81494, 0.00114, '0.8149 ± 0.0011'],
    [0.8165, 0.00001, '0.8165 ± 0.0000'],
    [0.8165, 0, '0.8165 ± 0'],
    [0.5, 0, '0.5000 ± 0'],
    [5103.1, 1e-12, '5103 ± 0'],
    [101, 0, '101 ± 0'],
    [0, 0, '0 ± 0'],
    [-0.0031, 0.0009, '−0.0031 ± 0.0009'],
    [-0.00001, 0.0009, '0.0000 ± 0.0009'],
    [0.5, 0.0399, '0.50 ± 0.04'],
    [1234.5, 56.1, '1235 ± 56'],
  ])('of %d and %d is %s', (mean, standardError, text) => {
    expect(formatEstimate({ mean, standardError, count: 10 })).toBe(text)
  })

  it('has no error for one run', () => {
    expect(formatEstimate({ mean: 0.31, standardError: 0, count: 1 })).toBe('0.3100')
  })

  it('deviates by at most a third of the error', () => {
    const value = fc.double({ min: -100, max: 100, noNaN: true })
    const error = fc.double({ min: 0.001, max: 10, noNaN: true })
    fc.assert(
      fc.property(value, error, (mean, standardError) => {
        const text = formatEstimate({ mean, standardError, count: 2 })
        const [printed, spread] = text.replace('−', '-').split(' ± ').map(Number)
        expect(Math.abs(printed! - mean)).toBeLessThan(standardError / 3)
        expect(Math.abs(spread! - standardError)).toBeLessThan(standardError / 3)
      }),
    )
  })
})
