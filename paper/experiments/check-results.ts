// Repeats a few runs of a plan and compares them with the rows on disk.

import { join } from 'node:path'

import { RenError } from '../../src/core/errors.ts'
import { describeJob } from '../../src/experiments/jobs.ts'
import { runJobs } from '../../src/experiments/pool.ts'
import { runKernel, type RunRow } from '../../src/experiments/protocol.ts'
import { keyOfJob, keyOfRow, prepareJobs, type RunOptions } from './plan-jobs.ts'
import type { Plan } from './plan-schema.ts'
import { readResults } from './results-folder.ts'

export type CheckReport = Awaited<ReturnType<typeof checkResults>>

/** Repeats the runs that the plan lists under `check`. Rows must be equal except for their duration. */
export async function checkResults(plan: Plan, options: RunOptions) {
  const folder = join(options.out, plan.name)
  const results = readResults(folder, plan)
  if (results === null) {
    throw new RenError('results-unusable', `${folder} must have results to check, got none`)
  }
  const recorded = new Map(results.rows.map((row) => [keyOfRow(row), row]))
  const wanted = new Set(plan.check.map(keyOfRow))
  const jobs = await prepareJobs(plan, options)
  const runs: ReturnType<typeof checked>[] = []
  await runJobs(
    jobs.filter((job) => wanted.has(keyOfJob(job))),
    options,
    {
      progressed: () => {},
      finished(job, row) {
        const difference = differenceOf(recorded.get(keyOfJob(job)), row)
        runs.push(checked(describeJob(job), difference))
      },
      failed: (job, { message }) =>
        void runs.push(checked(describeJob(job), `it failed: ${message}`)),
    },
  )
  /** The kernels of the rows on disk, and of this check. */
  const kernels = { recorded: results.manifest.kernel, here: runKernel }
  return { plan: plan.name, kernels, runs: runs.toSorted((a, b) => (a.run < b.run ? -1 : 1)) }
}

/** @param difference A description of what differs. */
const checked = (run: string, difference: string | undefined) => ({
  run,
  equal: difference === undefined,
  difference,
})

/** What differs between two rows, except for their duration; undefined if they are equal. */
function differenceOf(recorded: RunRow | undefined, row: RunRow): string | undefined {
  if (recorded === undefined) return 'there is no row on disk'
  const [before, now] = [valuesOf(recorded), valuesOf(row)]
  const names = [...new Set([...before.keys(), ...now.keys()])]
  const odd = names.find((name) => before.get(name)?.length !== now.get(name)?.length)
  if (odd !== undefined) {
    const [had, has] = [before, now].map((values) => values.get(odd)?.length ?? 'no')
    return `${odd}: ${had} values on disk, ${has} now`
  }
  const largest = names
    .map((name) => ({ name, size: largestDifference(before.get(name)!, now.get(name)!) }))
    .reduce((a, b) => (b.size > a.size ? b : a))
  return largest.size > 0
    ? `largest difference ${largest.size.toPrecision(3)}, in ${largest.name}`
    : undefined
}

const valuesOf = ({ at, series, measures }: RunRow): ReadonlyMap<string, readonly number[]> =>
  new Map([
    ['at', at],
    ...Object.entries(series).map(([name, values]) => [`series ${name}`, values] as const),
    ...Object.entries(measures).map(([name, value]) => [`measure ${name}`, [value]] as const),
  ])

const largestDifference = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((largest, value, i) => Math.max(largest, Math.abs(value - b[i]!)), 0)
