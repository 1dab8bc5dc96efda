// The runs of a plan.

import { RenError } from '../core/errors.ts'
import type { ErrorCode } from '../core/errors.ts'
import type { Plan } from './plan-schema.ts'
import { runsIn } from './plan.ts'
import type { Protocol, RunJob, RunRow } from './protocol.ts'
import { parseSeeds } from './seeds.ts'

/** Panel by panel, method by method, seed by seed. */
export function jobsOf(plan: Plan, data?: string): readonly RunJob[] {
  const seeds = parseSeeds(plan.seeds)
  return plan.panels.flatMap(({ name: panel, world }) =>
    plan.methods
      .filter((method) => runsIn(method, panel))
      .flatMap(({ name: label, method, settings = {} }) =>
        seeds.map((seed) => ({
          protocol: plan.protocol,
          panel,
          label,
          method,
          settings,
          world,
          seed,
          ...(data !== undefined && { data }),
        })),
      ),
  )
}

/** The same for a run and for its row, and for no other run of the plan. */
export const keyOfRow = ({ panel, method, seed }: Pick<RunRow, 'panel' | 'method' | 'seed'>) =>
  JSON.stringify([panel, method, seed])

export const keyOfJob = ({ panel, label, seed }: RunJob) => keyOfRow({ panel, method: label, seed })

export const describeJob = ({ panel, label, seed }: RunJob): string =>
  `${label} in ${panel}, seed ${seed}`

/** Rows as their file has them in the end: in the order of `jobsOf`, seeds rising. */
export function inPlanOrder(plan: Plan, rows: readonly RunRow[]): readonly RunRow[] {
  const panels = plan.panels.map(({ name }) => name)
  const methods = plan.methods.map(({ name }) => name)
  return rows.toSorted(
    (a, b) =>
      panels.indexOf(a.panel) - panels.indexOf(b.panel) ||
      methods.indexOf(a.method) - methods.indexOf(b.method) ||
      a.seed - b.seed,
  )
}

/** The seeds that every method has been run with wherever it runs, rising. */
export function completeSeeds(plan: Plan, rows: readonly RunRow[]): readonly number[] {
  const runs = new Map<number, number>()
  for (const { seed } of rows) runs.set(seed, (runs.get(seed) ?? 0) + 1)
  const needed = jobsOf({ ...plan, seeds: [0] }).length
  return [...runs.keys()].filter((seed) => runs.get(seed) === needed).toSorted((a, b) => a - b)
}

/** Has the protocol look at the settings of each kind of run, before anything has run. */
export async function checkJobs(protocol: Protocol, jobs: readonly RunJob[]): Promise<void> {
  const first = jobs[0]?.seed
  for (const job of jobs.filter(({ seed }) => seed === first)) {
    try {
      await protocol.check(job)
    } catch (error) {
      if (!(error instanceof RenError)) throw error
      throw new RenError('plan-invalid', `${describeJob(job)}: ${error.message}`, { cause: error })
    }
  }
}

/** A run without a row. */
export interface Failure {
  readonly run: string
  readonly reason: string
  /** Of an error of this package. */
  readonly code?: ErrorCode
}

export const failureOfRun = (job: RunJob, error: Error): Failure => ({
  run: describeJob(job),
  reason: error.message,
  ...(error instanceof RenError && { code: error.code }),
})
