// The download of the curves as CSV.

import { Button } from '../parts/panel.tsx'
import type { Curve, Measure } from './curves.ts'

export const CsvDownload = ({
  curves,
  measure,
}: Readonly<{ curves: readonly Curve[]; measure: Measure }>) => (
  <Button
    class="small"
    label="Download CSV"
    disabled={curves.length === 0}
    onClick={() => saveFile(`${worldsOf(curves).join('-')}-${measure}.csv`, csvOf(curves, measure))}
  />
)

const worldsOf = (curves: readonly Curve[]): string[] => [
  ...new Set(curves.map(({ run }) => run.world)),
]

function saveFile(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'text/csv' }))
  const link = document.createElement('a')
  Object.assign(link, { href: url, download: name })
  link.click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

const header = 'run,world,method,measure,step,mean,standard_error,seeds'

/** One row per point. */
export function csvOf(curves: readonly Curve[], measure: Measure): string {
  const rows = curves.flatMap(({ run, method, at, means, errors, seeds }) =>
    at.map((step, i) =>
      [run.job.id, run.world, method, measure, step, means[i]!, errors[i]!, seeds]
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
