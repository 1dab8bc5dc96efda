// The command line of `npm run bench -- quality`.

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkout } from '../../scripts/checkout.ts'
import { parseSeeds } from '../../src/experiments/seeds.ts'
import type { RowOptions, SplitName, Stage } from './row.ts'

export const usage = `usage: npm run bench -- quality [ROW ...] [options]

  --stage start|trained|both  when to measure (default: both)
  --split test|validation     test only for a released setting (default: validation)
  --seeds 1,2,3               defaults to the row's own seeds for the split
  --serve="ARGUMENTS"         more arguments of ren serve, such as --serve="--set loss=ranking"
  --root FOLDER               another checkout whose ren serve is measured; not recorded
  --limit N                   at most N users, sessions, lists, rounds or slates; such a run is not recorded
  --settle SECONDS            from the first answer to the first measurement (default: 60)
  --flag NAME                 histories (mind), new-items (ml-1m), off-only (diginetica),
                              preset-only or defaults-only (cold-start), no-large or no-import (costs);
                              may be repeated
  --data FOLDER               defaults to REN_DATA, else ../shared/data
  --json                      print JSON
  --write                     rewrite bench/quality.md from bench/quality/runs.json`

export interface CommandLine extends Omit<RowOptions, 'seeds' | 'folder' | 'progress'> {
  readonly rows: readonly string[]
  /** Defaults to the row's own setting. */
  readonly seeds: readonly number[] | undefined
  /** Whether the run is complete; complete runs on the test split are recorded. */
  readonly isWhole: boolean
  readonly json: boolean
  readonly write: boolean
  readonly help: boolean
  /** The settings as given, for the list of runs. */
  readonly settings: readonly string[]
}

const choices = {
  stage: ['start', 'trained', 'both'],
  split: ['test', 'validation'],
} as const

export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals: rows } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      stage: { type: 'string', default: 'both' },
      split: { type: 'string', default: 'validation' },
      seeds: { type: 'string' },
      serve: { type: 'string', default: '' },
      root: { type: 'string' },
      limit: { type: 'string' },
      settle: { type: 'string', default: '60' },
      flag: { type: 'string', multiple: true, default: [] },
      data: { type: 'string' },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const stage = oneOf('stage', values.stage)
  const settings = [...values.serve.split(' '), ...values.flag.map((flag) => `--flag ${flag}`)]
  return {
    rows,
    stages: stage === 'both' ? ['start', 'trained'] : [stage as Stage],
    split: oneOf('split', values.split) as SplitName,
    seeds: values.seeds === undefined ? undefined : parseSeeds(values.seeds),
    serve: values.serve.split(' ').filter((word) => word !== ''),
    limit: values.limit === undefined ? Infinity : Number(values.limit),
    settleSeconds: Number(values.settle),
    ...(values.root !== undefined && { root: values.root }),
    isWhole: [values.limit, values.root].every(isUnset) && values.settle === '60',
    flags: new Set(values.flag),
    data: values.data ?? process.env['REN_DATA'] ?? join(checkout, '../shared/data'),
    json: values.json,
    write: values.write,
    help: values.help,
    settings: settings.filter((word) => word !== ''),
  }
}

const isUnset = (value: string | undefined): boolean => value === undefined

function oneOf(name: keyof typeof choices, value: string): string {
  if (choices[name].some((choice) => choice === value)) return value
  throw new Error(`--${name} must be one of ${choices[name].join(', ')}, got ${value}`)
}
