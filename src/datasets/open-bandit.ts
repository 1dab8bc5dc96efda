// The Open Bandit Dataset: what a policy showed in a shop, with the chance that it would be shown.

import type { BanditLog } from '../core/log.ts'
import type { Columns } from './columns.ts'
import { locateFile, openBanditFile } from './dataset-files.ts'
import type { BanditCampaign, BanditPolicy } from './dataset-files.ts'
import { growingColumn } from './growing-column.ts'
import { NameTable } from './name-table.ts'
import { parseIsoTime } from './parse-time.ts'
import type { ReadOptions, RowReader } from './read-rows.ts'
import { readTable } from './read-table.ts'
import type { FieldsOf } from './read-table.ts'
import { integerIn, numberIn } from './row-fields.ts'
import { fieldText } from './split-row.ts'

/** Which file of a folder is read. */
export interface OpenBanditOptions extends ReadOptions {
  /** The policy that chose the shown items: `random`, the default, or Bernoulli Thompson sampling. */
  readonly policy?: BanditPolicy
  /** Defaults to `men`. */
  readonly campaign?: BanditCampaign
}

/** A log in the order of its file, its times, and how many rows were skipped. */
export interface OpenBanditResult {
  readonly log: BanditLog
  /** Milliseconds since 1970, by row. */
  readonly times: Float64Array
  readonly skipped: number
}

const required = ['timestamp', 'item_id', 'position', 'click', 'propensity_score'] as const

/**
 * Reads a CSV file of the data set, or the one of a policy and a campaign that a folder holds.
 * Actions are the item ids; a context is the combination of the user features.
 */
export async function readOpenBandit(
  location: string,
  { policy = 'random', campaign = 'men', ...options }: OpenBanditOptions = {},
): Promise<OpenBanditResult> {
  const rows = createBanditRows()
  const file = locateFile(openBanditFile(policy, campaign), location)
  const skipped = await readTable(
    { ...file, required, quotes: false },
    options,
    (columns, fields) => createRowReader(columns, fields, rows),
  )
  return { log: logOf(rows), times: rows.times.values(), skipped }
}

type BanditRows = ReturnType<typeof createBanditRows>

function createBanditRows() {
  return {
    times: growingColumn(Float64Array),
    actions: growingColumn(Int32Array),
    rewards: growingColumn(Float32Array),
    propensities: growingColumn(Float64Array),
    positions: growingColumn(Int32Array),
    contexts: growingColumn(Int32Array),
    contextTable: new NameTable(),
    /** The header has an affinity for each action, shown or not. */
    affinities: { count: 0 },
  }
}

function createRowReader(
  { accept, reject, names }: Columns,
  [time, action, position, click, propensity]: FieldsOf<typeof required>,
  rows: BanditRows,
): RowReader {
  const isFeature = (name: string): boolean => name.startsWith('user_feature_')
  const [first, last] = [names.findIndex(isFeature), names.findLastIndex(isFeature)]
  rows.affinities.count = names.filter((name) => name.startsWith('user-item_affinity_')).length

  return (row, line) => {
    if (!accept(row, line)) return
    const when = parseIsoTime(fieldText(row, time))
    if (Number.isNaN(when))
      return reject(row, line, time, 'a time such as 2019-11-24 00:01:03+00:00')
    const what = integerIn(row, action, 0)
    if (what === -1) return reject(row, line, action, 'an integer from 0')
    const where = integerIn(row, position, 1)
    if (where === -1) return reject(row, line, position, 'an integer from 1')
    const reward = numberIn(row, click)
    if (reward !== 0 && reward !== 1) return reject(row, line, click, '1 or 0')
    const chance = numberIn(row, propensity)
    if (!(chance > 0 && chance <= 1)) {
      return reject(row, line, propensity, 'a chance above 0 and at most 1')
    }
    // The features stand side by side: their fields and the commas between are the name.
    const [start, end] = first === -1 ? [0, 0] : [row.starts[first]!, row.ends[last]!]
    const context = rows.contextTable.indexOf(row.bytes, start, end)
    if (context === -1) return reject(row, line, first, 'features in UTF-8')
    rows.times.push(when)
    rows.actions.push(what)
    rows.positions.push(where - 1)
    rows.rewards.push(reward)
    rows.propensities.push(chance)
    rows.contexts.push(context)
  }
}

function logOf({ contextTable, affinities, ...columns }: BanditRows): BanditLog {
  const [actions, positions] = [columns.actions.values(), columns.positions.values()]
  return {
    actions,
    positions,
    rewards: columns.rewards.values(),
    propensities: columns.propensities.values(),
    contexts: columns.contexts.values(),
    actionCount: Math.max(affinities.count, countOf(actions)),
    positionCount: countOf(positions),
    contextNames: contextTable.names,
  }
}

/** One more than the largest index. */
function countOf(indices: Int32Array): number {
  return indices.reduce((count, index) => Math.max(count, index + 1), 0)
}
