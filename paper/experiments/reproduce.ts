// Runs a plan: first the runs that are not on disk yet, then the summary, table and figures.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import type { Failure, RunProgress } from '../../src/experiments/jobs.ts'
import { runJobs } from '../../src/experiments/pool.ts'
import { runKernel, type RunRow, type RunJob } from '../../src/experiments/protocol.ts'
import { parseSeeds } from '../../src/experiments/seeds.ts'
import { summarize } from '../../src/experiments/summary.ts'
import { requireSummable } from './check-rows.ts'
import { startSession, type Session } from './manifest.ts'
import {
  completeSeeds,
  contentOf,
  inPlanOrder,
  jobsOf,
  keyOfJob,
  keyOfRow,
  prepareJobs,
  type RunOptions,
} from './plan-jobs.ts'
import type { Plan } from './plan-schema.ts'
import {
  writeWhole,
  readOthersResults,
  openResults,
  rowsFile,
  writeManifest,
  writeRows,
  openRowWriter,
} from './results-folder.ts'
import type { Results } from './results-folder.ts'
import { longestFirst, recordRuns } from './run-progress.ts'
import { markdownTable } from './table.ts'

/**
 * Writes the summary, table and figures, over those seeds of the plan that all methods have. Returns
 * whether figures were drawn.
 */
async function presentResults(
  folder: string,
  plan: Plan,
  rows: readonly RunRow[],
): Promise<boolean> {
  const seeds = new Set(completeSeeds(plan, rows)).intersection(new Set(parseSeeds(plan.seeds)))
  const compared = inPlanOrder(plan, rows).filter(({ seed }) => seeds.has(seed))
  requireSummable(compared, plan.comparisons)
  const summary = summarize(plan.name, compared, plan.comparisons)
  writeWhole(join(folder, 'summary.json'), `${JSON.stringify(summary)}\n`)
  const note = plan.label === undefined ? '' : `${plan.label}\n\n`
  writeWhole(join(folder, 'table.md'), `${note}${markdownTable(plan, summary)}`)
  const drawing = await loadDrawing()
  drawing?.drawResults(folder, plan, summary)
  return drawing !== null
}

/** Null if the packages that draw are not installed. */
async function loadDrawing(): Promise<typeof import('./figures/draw.ts') | null> {
  try {
    return await import('./figures/draw.ts')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return null
    throw error
  }
}

/**
 * Rows of jobs that another plan in `out` has already run under other names. The method, settings,
 * world and seed are the same, so a run is not repeated.
 */
function sharedRows(
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

export interface ReproduceOptions extends RunOptions {
  /** Whether to ignore the results on disk. */
  readonly fresh?: boolean
  /** The command line, for the manifest. */
  readonly command: string
  readonly onProgress?: (progress: RunProgress) => void
  readonly onFailure?: (failure: Failure) => void
}

export type ReproduceReport = Awaited<ReturnType<typeof reproduce>>

/** Runs what is missing, and writes the summary and figures when no run is missing. */
export async function reproduce(plan: Plan, options: ReproduceOptions) {
  const jobs = await prepareJobs(plan, options)
  const folder = join(options.out, plan.name)
  const before = openResults(folder, plan, options.fresh ?? false)
  const pending = withoutRow(jobs, before.rows)
  const { rows, failures } =
    pending.length === 0
      ? { rows: before.rows, failures: [] }
      : await runSession({ folder, plan, before, pending, total: jobs.length }, options)
  const isComplete = withoutRow(jobs, rows).length === 0
  const drawn = isComplete && (await presentResults(folder, plan, rows))
  return {
    plan: plan.name,
    folder,
    failures,
    /** The number of runs of the plan with these seeds. */
    runs: jobs.length,
    /** The number of new rows, including those copied from other plans. */
    ran: rows.length - before.rows.length,
    interrupted: options.signal?.aborted ?? false,
    /** False if runs are missing or the packages that draw are not installed. */
    drawn,
  }
}

function withoutRow(jobs: readonly RunJob[], rows: readonly RunRow[]): readonly RunJob[] {
  const done = new Set(rows.map(keyOfRow))
  return jobs.filter((job) => !done.has(keyOfJob(job)))
}

interface Work {
  readonly folder: string
  readonly plan: Plan
  readonly before: Results
  readonly pending: readonly RunJob[]
  readonly total: number
}

/** Runs the pending jobs, sorts all rows, and records the session in the manifest. */
async function runSession(work: Work, options: ReproduceOptions) {
  const { folder, plan, before } = work
  const record = (session: Session, rows: readonly RunRow[]): void =>
    writeManifest(folder, {
      ...before.manifest,
      plan,
      seeds: completeSeeds(plan, rows),
      sessions: [...before.manifest.sessions, session],
    })
  const [session, finish] = startSession(options.command)
  record(session, before.rows)
  const ran = await runPending(work, options)
  writeRows(folder, plan, ran.rows)
  record({ ...finish(), ...(ran.copied > 0 && { copied: ran.copied }) }, ran.rows)
  return ran
}

const noRows: ReadonlyMap<RunJob, RunRow> = new Map()

/** Returns all rows, the failures, and the number of rows copied from other plans. */
async function runPending(
  { folder, plan, before, pending, total }: Work,
  options: ReproduceOptions,
) {
  const { out, workers, fresh, onProgress, onFailure } = options
  const writer = openRowWriter(rowsFile(folder))
  const { rows, failures, durations, addRow, listener } = recordRuns(plan.name, pending, {
    workers,
    total,
    before: before.rows,
    onRow: (row) => writer.append(row),
    ...(onFailure && { onFailure }),
    ...(onProgress && { onProgress }),
  })
  const shared = fresh ? noRows : sharedRows(out, plan.name, pending)
  try {
    for (const [job, row] of shared) addRow(job, row)
    const own = pending.filter((job) => !shared.has(job))
    await runJobs(longestFirst(own, durations), options, listener)
  } finally {
    writer.close()
  }
  return { rows, failures, copied: shared.size }
}
