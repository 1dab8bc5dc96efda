// How long runs take, learnt from those that have ended.

import { mean } from '../core/statistics.ts'
import type { RunJob } from './protocol.ts'
import type { RunRow } from './row.ts'

/** What runs took, by panel and method. */
export interface Durations {
  add(row: RunRow): void
  /** In milliseconds: the mean of like runs, else undefined. */
  expected(job: RunJob): number | undefined
  /** The mean of all runs. */
  overall(): number | undefined
}

export function createDurations(rows: readonly RunRow[]): Durations {
  const taken = new Map<string, number[]>()
  const cell = (panel: string, method: string): number[] => {
    const key = JSON.stringify([panel, method])
    return taken.get(key) ?? taken.set(key, []).get(key)!
  }
  const durations: Durations = {
    add: ({ panel, method, milliseconds }) => void cell(panel, method).push(milliseconds),
    expected: ({ panel, label }) => meanIfAny(cell(panel, label)),
    overall: () => meanIfAny([...taken.values()].flat()),
  }
  rows.forEach(durations.add)
  return durations
}

/** Runs of unknown length first, since one learns from them; then the longest. */
export function longestFirst(jobs: readonly RunJob[], durations: Durations): readonly RunJob[] {
  const expected = (job: RunJob): number => durations.expected(job) ?? Number.MAX_VALUE
  return jobs.toSorted((a, b) => expected(b) - expected(a) || a.seed - b.seed)
}

const meanIfAny = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : mean(values)
