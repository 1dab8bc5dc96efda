// The parts of `npm run bench -- quality` that determine its figures, and its report.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { holdOut } from '../bench/quality/hold-out.ts'
import type { LogLine } from '../bench/quality/hold-out.ts'
import { createPopularity } from '../bench/quality/popularity.ts'
import { reportOf } from '../bench/quality/report.ts'
import { atLeast, atMost, isMet } from '../bench/quality/row.ts'
import { readRuns } from '../bench/quality/runs.ts'
import type { Run } from '../bench/quality/runs.ts'
import { checkout } from '../scripts/checkout.ts'

const lineOf = (line: string): LogLine => {
  const [user, item, time] = line.split(' ')
  return { line, user: user!, item: item!, time: Number(time) }
}

describe('holdOut', () => {
  // Ann's lines are not in order of time, and two have the same time.
  const lines = ['ann a 3', 'bob x 1', 'ann b 1', 'ann c 3', 'bob y 2', 'bob z 3'].map(lineOf)
  const textOf = (some: readonly LogLine[]) => some.map(({ line }) => line)

  it('holds out the last item of each user for the test', () => {
    const { lines: rest, targets } = holdOut(lines, 'test')
    expect(textOf(rest)).toEqual(['ann a 3', 'bob x 1', 'ann b 1', 'bob y 2'])
    expect(targets).toEqual([
      { user: 'ann', item: 'c' },
      { user: 'bob', item: 'z' },
    ])
  })

  it('holds out the second-last item for validation, and excludes the last', () => {
    const { lines: rest, targets } = holdOut(lines, 'validation')
    expect(textOf(rest)).toEqual(['bob x 1', 'ann b 1'])
    expect(targets).toEqual([
      { user: 'ann', item: 'a' },
      { user: 'bob', item: 'y' },
    ])
  })

  it('excludes users who would have no history', () => {
    expect(holdOut([lineOf('eve a 1')], 'test')).toEqual({
      lines: [lineOf('eve a 1')],
      targets: [],
    })
  })
})

it('popularity excludes the history of the user', () => {
  const lines = ['ann a 1', 'bob a 1', 'bob b 2', 'eve b 1', 'eve a 2', 'eve c 3'].map(lineOf)
  expect(createPopularity(lines).slate({ user: 'ann', item: '' }, 2)).toEqual(['b', 'c'])
})

describe('isMet', () => {
  it.each([
    [0.23, atLeast(0.23), true],
    [0.229, atLeast(0.23), false],
    [-0.01, atLeast(0, 0.02), true],
    [1.4, atMost(1.4), true],
    [1.5, atMost(1.4), false],
    [Number.NaN, atLeast(0), false],
  ])('%d against %j: %s', (value, bar, met) => {
    expect(isMet({ name: 'figure', value, bar })).toBe(met)
  })

  it('is null without a bar', () => expect(isMet({ name: 'figure', value: 1 })).toBe(null))
})

describe('bench/quality.md', () => {
  const run: Run = {
    date: '2026-11-16T08:00:00.000Z',
    commit: 'abc1234',
    machine: 'a machine',
    row: 'ml-1m',
    stage: 'start',
    seeds: [1, 2],
    settings: [],
    figures: [{ name: 'HR@10', value: 0.25, error: 0.005, bar: atLeast(0.26) }],
  }

  it('shows the newest run of a row and lists all', () => {
    const newer = { ...run, figures: [{ name: 'HR@10', value: 0.27, bar: atLeast(0.26) }] }
    const report = reportOf([run, newer])
    expect(report).toContain('| HR@10 | 0.2700 | ≥ 0.2600 | met |')
    expect(report).not.toContain('**missed**')
    expect(report.match(/abc1234/g)).toHaveLength(3)
  })

  it('matches the runs in runs.json', () => {
    // The formatter pads tables.
    const plain = (text: string) => text.replaceAll(/[\s-]+/g, ' ')
    const page = readFileSync(join(checkout, 'bench/quality.md'), 'utf8')
    expect(plain(page)).toBe(plain(reportOf(readRuns())))
  })
})
