// The text output of `ren reproduce`.

import { count } from '../../src/cli/status-line.ts'
import type { CheckReport } from './check-results.ts'
import type { Plan } from './plan-schema.ts'
import type { ReproduceReport } from './reproduce.ts'

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

export const describeReproduced = (reports: readonly ReproduceReport[]): string =>
  reports.map(describeOne).join('\n')

/** An installation without devDependencies does not have the packages that draw. */
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
