// Curves as CSV, one row per point.

import type { Curve, Measure } from './curves.ts'

const header = 'run,world,method,measure,step,mean,standard_error,seeds'

export function csvOf(curves: readonly Curve[], measure: Measure): string {
  const rows = curves.flatMap(({ race, method, at, means, errors, seeds }) =>
    at.map((step, i) =>
      [race.job.id, race.world, method, measure, step, means[i]!, errors[i]!, seeds]
        .map(field)
        .join(','),
    ),
  )
  return [header, ...rows, ''].join('\r\n')
}

/** Quoted if necessary (RFC 4180). */
function field(value: string | number): string {
  const text = String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
