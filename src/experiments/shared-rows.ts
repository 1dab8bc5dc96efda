// Runs that another plan has done: the same method with the same settings in the same world with the
// same seed is the same run, whatever the plans call it, and is not done twice.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { jobsOf, keyOfJob, keyOfRow } from './jobs.ts'
import { runKernel } from './kernel.ts'
import { canonicalJson } from './manifest.ts'
import type { RunJob } from './protocol.ts'
import { readOthersResults } from './results-folder.ts'
import type { RunRow } from './row.ts'

/** Rows for some of the jobs, by the jobs' own names, from the results of other plans in `out`. */
export function sharedRows(
  out: string,
  plan: string,
  jobs: readonly RunJob[],
): ReadonlyMap<RunJob, RunRow> {
  const wanted = new Map(jobs.map((job) => [contentOf(job), job]))
  const found = new Map<RunJob, RunRow>()
  for (const other of readdirSync(out).toSorted()) {
    const results = other === plan ? null : readOthersResults(join(out, other))
    if (results === null || results.manifest.kernel !== runKernel) continue
    const rows = new Map(results.rows.map((row) => [keyOfRow(row), row]))
    const seeds = [...new Set(results.rows.map(({ seed }) => seed))]
    if (seeds.length === 0) continue
    for (const job of jobsOf({ ...results.manifest.plan, seeds })) {
      const [here, row] = [wanted.get(contentOf(job)), rows.get(keyOfJob(job))]
      if (here && row && !found.has(here))
        found.set(here, { ...row, panel: here.panel, method: here.label })
    }
  }
  return found
}

/** All that decides a row but the folder of data. */
const contentOf = ({ protocol, method, settings, world, seed }: RunJob): string =>
  canonicalJson({ protocol, method, settings, world, seed })
