// The text output of `ren reproduce`.

import type { CheckReport } from '../experiments/check-results.ts'
import { describeJob } from '../experiments/jobs.ts'
import type { Plan } from '../experiments/plan-schema.ts'
import type { ReproduceReport } from '../experiments/reproduce.ts'
import type { RunProgress } from '../experiments/run-progress.ts'
import { count, clockTime, percent } from './status-line.ts'

export function describeExperiments(plans: readonly Plan[]): string {
  const width = Math.max(0, ...plans.map(({ name }) => name.length))
  const lines = plans.map(({ name, group, title }) => {
    const also = group === undefined ? '' : ` (part of ${group})`
    return `${name.padEnd(width)}  ${title}${also}`
  })
  return ['Experiments; run them with ren reproduce <name> or ren reproduce all:', ...lines].join(
    '\n',
  )
}

export function describeProgress(progress: RunProgress): string {
  const { plan, share, done, total, secondsLeft, current } = progress
  const parts = [plan, percent(share), `${done} of ${count(total, 'run')}`]
  if (secondsLeft !== null) parts.push(`${clockTime(secondsLeft)} left`)
  if (current !== null) parts.push(describeJob(current))
  return parts.join('  ')
}

export const describeReproduced = (reports: readonly ReproduceReport[]): string =>
  reports.map(describeOne).join('\n')

/** The published package does not include the packages that draw. */
const undrawn =
  'install @observablehq/plot, happy-dom, @resvg/resvg-js and dejavu-fonts-ttf to draw figures'

function describeOne(report: ReproduceReport): string {
  const { plan, folder, runs, ran, failures, interrupted, drawn } = report
  const again = 'run the command again to resume'
  if (interrupted) return `${plan}: stopped after ${count(ran, 'run')} more in ${folder}; ${again}`
  if (failures.length > 0) {
    const lines = failures.map(({ run, reason }) => `  ${run}: ${reason}`)
    const failed = `${failures.length} of ${count(runs, 'run')} failed; no summary was written`
    return [`${plan}: ${failed}; ${again}`, ...lines].join('\n')
  }
  const created = drawn
    ? `summary, figures and table in ${folder}`
    : `summary and table in ${folder}; ${undrawn}`
  if (ran > 0) return `${plan}: ${count(ran, 'run')} done; ${created}`
  return `${plan}: all ${count(runs, 'run')} already done (--fresh repeats them); ${created}`
}

export const describeChecked = (reports: readonly CheckReport[]): string =>
  reports.flatMap(checkedLines).join('\n')

function checkedLines({ plan, kernels, runs }: CheckReport): string[] {
  const lines = runs.map(({ run, difference }) =>
    difference === undefined
      ? `${plan}: ${run}: equal`
      : `${plan}: ${run}: DIFFERENT, ${difference}`,
  )
  if (kernels.recorded === kernels.here) return lines
  return [
    ...lines,
    `${plan}: the rows on disk used the ${kernels.recorded} kernels, this check used ${kernels.here}`,
  ]
}
