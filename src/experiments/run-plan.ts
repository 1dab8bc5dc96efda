// What running a plan and checking its results have in common.

import { checkJobs, jobsOf } from './jobs.ts'
import type { Plan } from './plan-schema.ts'
import type { PoolOptions } from './pool.ts'
import type { RunJob } from './protocol.ts'
import { findProtocol, standardRegistry } from './registry.ts'
import { requireData } from './required-data.ts'

export interface RunOptions extends PoolOptions {
  /** The folder of data sets. */
  readonly data: string
  /** Where results are, each plan's in a folder of its name. */
  readonly out: string
}

/** The runs of a plan, once its protocol, settings and data have been found in order. */
export async function prepareJobs(
  plan: Plan,
  { data, registry = standardRegistry }: RunOptions,
): Promise<readonly RunJob[]> {
  const jobs = jobsOf(plan, data)
  await checkJobs(await findProtocol(registry, plan.protocol), jobs)
  requireData(plan, data)
  return jobs
}
