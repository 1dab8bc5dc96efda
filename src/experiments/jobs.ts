// The runs of a plan.

import { RenError, type ErrorCode } from '../core/errors.ts'
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

/** Identifies a run within its plan; equal for a run and its row. */
export const keyOfRow = ({ panel, method, seed }: Pick<RunRow, 'panel' | 'method' | 'seed'>) =>
  JSON.stringify([panel, method, seed])

export const keyOfJob = ({ panel, label, seed }: RunJob) => keyOfRow({ panel, method: label, seed })

export const describeJob = ({ panel, label, seed }: RunJob): string =>
  `${label} in ${panel}, seed ${seed}`

/** Rows in the order of `jobsOf`, with ascending seeds. */
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

/** The seeds for which all runs of the plan have rows, in ascending order. */
export function completeSeeds(plan: Plan, rows: readonly RunRow[]): readonly number[] {
  const runs = new Map<number, number>()
  for (const { seed } of rows) runs.set(seed, (runs.get(seed) ?? 0) + 1)
  const needed = jobsOf({ ...plan, seeds: [0] }).length
  return [...runs.keys()].filter((seed) => runs.get(seed) === needed).toSorted((a, b) => a - b)
}

/** Checks the settings of all panels and methods with the protocol, before the first run. */
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

/** A failed run. */
export interface Failure {
  readonly run: string
  readonly reason: string
  /** Set for errors of this package. */
  readonly code?: ErrorCode
}

export const failureOfRun = (job: RunJob, error: Error): Failure => ({
  run: describeJob(job),
  reason: error.message,
  ...(error instanceof RenError && { code: error.code }),
})
