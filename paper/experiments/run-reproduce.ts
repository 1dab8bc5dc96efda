// Runs `ren reproduce`: selects plans, and runs or checks them one after another.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describeProgress } from '../../src/cli/experiment-runner.ts'
import { defaultData } from '../data-folder.ts'
import { untilInterrupted } from '../../src/cli/interrupt-signal.ts'
import type { ReproduceCliOptions } from '../../src/cli/reproduce.ts'
import { createStatusLine } from '../../src/cli/status-line.ts'
import { RenError } from '../../src/core/errors.ts'
import { checkResults } from './check-results.ts'
import { registryOf, requireData, type RunOptions } from './plan-jobs.ts'
import type { Plan } from './plan-schema.ts'
import { choosePlans, loadPlans, quickPlan } from './plan.ts'
import { describeChecked, describeExperiments, describeReproduced } from './report.ts'
import { reproduce } from './reproduce.ts'

export async function runReproduce(
  names: readonly string[],
  options: ReproduceCliOptions,
  registry?: string,
): Promise<void> {
  const plans = loadPlans(options.plans)
  if (names.length === 0) return print(plans, describeExperiments, options)
  const chosen = choosePlans(plans, names).map((plan) => withOptions(plan, options))
  const { data = defaultData() } = options
  const ready = names.includes('all') ? withData(chosen, data) : chosen
  await untilInterrupted(async (signal) => {
    const out = options.out ?? defaultOut(options)
    const { workers, plans: folder } = options
    const protocols = registry ?? registryOf(folder)
    const running = { data, out, workers, signal, registry: protocols }
    await (options.check ? checkAll : reproduceAll)(ready, running, options)
    if (signal.aborted) process.exitCode = 130
  })
}

const withOptions = (plan: Plan, { quick, seeds }: ReproduceCliOptions): Plan => ({
  ...(quick ? quickPlan(plan) : plan),
  ...(seeds && { seeds: [...seeds] }),
})

/** Quick results are temporary and must not mix with those of full runs. */
const defaultOut = ({ quick }: ReproduceCliOptions): string =>
  quick ? mkdtempSync(join(tmpdir(), 'ren-quick-')) : join('paper', 'results')

/** The plans whose data is available; the others are reported. */
function withData(plans: readonly Plan[], folder: string): readonly Plan[] {
  const ready = plans.filter((plan) => {
    try {
      requireData(plan, folder)
      return true
    } catch (error) {
      if (!(error instanceof RenError)) throw error
      console.error(`skipped ${plan.name}: ${error.message}`)
      return false
    }
  })
  if (ready.length > 0) return ready
  throw new RenError('dataset-missing', `the data of every experiment is missing in ${folder}`)
}

type RunAll = (
  plans: readonly Plan[],
  running: RunOptions,
  options: ReproduceCliOptions,
) => Promise<void>

const reproduceAll: RunAll = async (plans, running, options) => {
  const line = createStatusLine()
  const reports = await oneByOne(plans, running, (plan) =>
    reproduce(plan, {
      ...running,
      fresh: options.fresh ?? false,
      command: ['ren', ...process.argv.slice(2)].join(' '),
      onProgress: (progress) => line.show(() => describeProgress(progress), progress.share),
      onFailure: ({ run, reason }) => line.print(`${plan.name}: ${run} failed: ${reason}`),
    }).finally(line.end),
  )
  if (reports.some(({ failures }) => failures.length > 0)) process.exitCode = 1
  print(reports, describeReproduced, options)
}

const checkAll: RunAll = async (plans, running, options) => {
  const reports = await oneByOne(plans, running, (plan) => checkResults(plan, running))
  if (!reports.every(({ runs }) => runs.every(({ equal }) => equal))) process.exitCode = 1
  print(reports, describeChecked, options)
}

/** One plan after another, until Ctrl-C. */
async function oneByOne<T>(
  plans: readonly Plan[],
  { signal }: RunOptions,
  work: (plan: Plan) => Promise<T>,
): Promise<readonly T[]> {
  const reports: T[] = []
  for (const plan of plans) if (!signal?.aborted) reports.push(await work(plan))
  return reports
}

function print<T>(
  reports: readonly T[],
  describe: (reports: readonly T[]) => string,
  { json }: ReproduceCliOptions,
): void {
  console.log(json ? JSON.stringify(reports) : describe(reports))
}
