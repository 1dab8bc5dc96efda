// Runs a plan: the runs that are not on disk yet, then its summary, table and figures.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { completeSeeds, failureOfRun, inPlanOrder, jobsOf, keyOfJob, keyOfRow } from './jobs.ts'
import type { Failure } from './jobs.ts'
import { canonicalJson, startSession } from './manifest.ts'
import type { Session } from './manifest.ts'
import type { Plan } from './plan-schema.ts'
import { runJobs, prepareJobs } from './pool.ts'
import type { RunListener, RunOptions } from './pool.ts'
import type { RunRow, RunJob } from './protocol.ts'
import { runKernel } from './protocol.ts'
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
import { createDurations, longestFirst, createTracker } from './run-progress.ts'
import type { RunProgress, RunTracker } from './run-progress.ts'
import { parseSeeds } from './seeds.ts'
import { summarize } from './summary.ts'
import { markdownTable } from './table.ts'

/**
 * Writes them into the plan's folder, of those of the plan's seeds that all methods have; whether
 * figures too. Runs with other seeds may stand beside them and do not count.
 */
export async function presentResults(
  folder: string,
  plan: Plan,
  rows: readonly RunRow[],
): Promise<boolean> {
  const seeds = new Set(completeSeeds(plan, rows)).intersection(new Set(parseSeeds(plan.seeds)))
  const compared = inPlanOrder(plan, rows).filter(({ seed }) => seeds.has(seed))
  const summary = summarize(plan.name, compared, plan.comparisons)
  writeWhole(join(folder, 'summary.json'), `${JSON.stringify(summary)}\n`)
  const note = plan.label === undefined ? '' : `${plan.label}\n\n`
  writeWhole(join(folder, 'table.md'), `${note}${markdownTable(tableOf(plan), summary)}`)
  const drawing = await loadDrawing()
  drawing?.drawResults(folder, plan, summary)
  return drawing !== null
}

/** Null where the packages that draw are not installed. */
async function loadDrawing(): Promise<typeof import('./draw-results.ts') | null> {
  try {
    return await import('./draw-results.ts')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return null
    throw error
  }
}

function tableOf({ panels, methods, table }: Plan) {
  return {
    panels,
    methods: methods.map(({ name }) => ({ name, label: name })),
    measures: table.measures.map(({ name, title }) => ({ name, label: title })),
  }
}

// Two plans may contain the same run (method, settings, world and seed) under different names. It is
// run once.

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

export interface ReproduceOptions extends RunOptions {
  /** Starts over, whatever is on disk. */
  readonly fresh?: boolean
  /** How it was asked for, for the manifest. */
  readonly command: string
  readonly onProgress?: (progress: RunProgress) => void
  readonly onFailure?: (failure: Failure) => void
}

export interface ReproduceReport {
  readonly plan: string
  readonly folder: string
  /** Runs that the plan has with these seeds. */
  readonly runs: number
  /** Those of them that were done now, or taken from other plans that had done them. */
  readonly ran: number
  readonly failures: readonly Failure[]
  readonly interrupted: boolean
  /** False while runs are missing, and where the packages that draw are not installed. */
  readonly drawn: boolean
}

/** Summary and figures are made once no run is missing. */
export async function reproduce(plan: Plan, options: ReproduceOptions): Promise<ReproduceReport> {
  const jobs = await prepareJobs(plan, options)
  const folder = join(options.out, plan.name)
  const before = openResults(folder, plan, options.fresh ?? false)
  const pending = withoutRow(jobs, before.rows)
  const { rows, failures } =
    pending.length === 0
      ? { rows: before.rows, failures: [] }
      : await runSession({ folder, plan, before, pending, total: jobs.length }, options)
  const whole = withoutRow(jobs, rows).length === 0
  const drawn = whole && (await presentResults(folder, plan, rows))
  return {
    plan: plan.name,
    folder,
    failures,
    runs: jobs.length,
    ran: rows.length - before.rows.length,
    interrupted: options.signal?.aborted ?? false,
    drawn,
  }
}

function withoutRow(jobs: readonly RunJob[], rows: readonly RunRow[]): readonly RunJob[] {
  const there = new Set(rows.map(keyOfRow))
  return jobs.filter((job) => !there.has(keyOfJob(job)))
}

interface Work {
  readonly folder: string
  readonly plan: Plan
  readonly before: Results
  readonly pending: readonly RunJob[]
  readonly total: number
}

interface Ran {
  readonly rows: readonly RunRow[]
  readonly failures: readonly Failure[]
  /** How many of the rows other plans had. */
  readonly taken: number
}

/** Runs what is pending and leaves all rows in order, with a record of the session. */
async function runSession(work: Work, options: ReproduceOptions): Promise<Ran> {
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
  record({ ...finish(), ...(ran.taken > 0 && { taken: ran.taken }) }, ran.rows)
  return ran
}

const noRows: ReadonlyMap<RunJob, RunRow> = new Map()

async function runPending(
  { folder, plan, before, pending, total }: Work,
  options: ReproduceOptions,
): Promise<Ran> {
  const rows = [...before.rows]
  const failures: Failure[] = []
  const durations = createDurations(rows)
  const tracker = createTracker(plan.name, pending, {
    total,
    workers: options.workers,
    durations,
    clock: () => performance.now(),
  })
  const shared = options.fresh ? noRows : sharedRows(options.out, plan.name, pending)
  const writer = openRowWriter(rowsFile(folder))
  const addRow = (job: RunJob, row: RunRow): void => {
    writer.append(row)
    rows.push(row)
    tracker.ended(job, row)
  }
  try {
    for (const [job, row] of shared) addRow(job, row)
    const own = pending.filter((job) => !shared.has(job))
    const listener = createListener({ tracker, addRow, failures }, options)
    await runJobs(longestFirst(own, durations), options, listener)
  } finally {
    writer.close()
  }
  return { rows, failures, taken: shared.size }
}

interface Records {
  readonly tracker: RunTracker
  readonly addRow: RunListener['finished']
  readonly failures: Failure[]
}

/** Records what becomes of runs, and tells those who asked. */
function createListener(
  { tracker, addRow, failures }: Records,
  { onProgress, onFailure }: ReproduceOptions,
): RunListener {
  const tell = (): void => onProgress?.(tracker.progress())
  return {
    progressed(job, share) {
      tracker.progressed(job, share)
      tell()
    },
    finished(job, row) {
      addRow(job, row)
      tell()
    },
    failed(job, error) {
      const failure = failureOfRun(job, error)
      failures.push(failure)
      onFailure?.(failure)
      tracker.ended(job, null)
    },
  }
}
