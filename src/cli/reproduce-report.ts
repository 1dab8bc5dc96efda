// What `ren reproduce` says to people.

import type { CheckReport } from '../experiments/check-results.ts'
import { describeJob } from '../experiments/jobs.ts'
import type { Plan } from '../experiments/plan-schema.ts'
import type { ReproduceReport } from '../experiments/reproduce.ts'
import type { RunProgress } from '../experiments/run-progress.ts'
import { count, clockTime, percent } from './status-line.ts'

export function describeExperiments(plans: readonly Plan[]): string {
  const width = Math.max(0, ...plans.map(({ name }) => name.length))
  const lines = plans.map(({ name, group, title }) => {
    const also = group === undefined ? '' : ` (also of ${group})`
    return `${name.padEnd(width)}  ${title}${also}`
  })
  return ['Experiments, to be run with ren reproduce <name> or all:', ...lines].join('\n')
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

/** Of a published package, which does without what draws. */
const undrawn =
  'figures need @observablehq/plot, happy-dom, @resvg/resvg-js and dejavu-fonts-ttf to be installed'

function describeOne(report: ReproduceReport): string {
  const { plan, folder, runs, ran, failures, interrupted, drawn } = report
  const again = 'the same command goes on from there'
  if (interrupted) return `${plan}: stopped; ${count(ran, 'run')} more in ${folder}, ${again}`
  if (failures.length > 0) {
    const lines = failures.map(({ run, reason }) => `  ${run}: ${reason}`)
    const failed = `${failures.length} of ${count(runs, 'run')} failed; no summary was written`
    return [`${plan}: ${failed}, and ${again}`, ...lines].join('\n')
  }
  const created = drawn
    ? `summary, figures and table in ${folder}`
    : `summary and table in ${folder}; ${undrawn}`
  if (ran > 0) return `${plan}: ${count(ran, 'run')} done; ${created}`
  return `${plan}: all ${count(runs, 'run')} were there (--fresh runs them again); ${created}`
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
    `${plan}: the rows on disk were made with the ${kernels.recorded} kernels, these with ${kernels.here}`,
  ]
}
