// Marks of a chart for the times at which model versions were first served, few enough to read.

import type { ModelVersion } from '../../service/index.ts'
import type { ChartProps } from '../parts/chart/chart.tsx'

type Mark = NonNullable<ChartProps['marks']>[number]

const maxMarks = 10

/** Marks of the versions within the range of the chart; of versions close together, only the newest. */
export function versionMarks(versions: readonly ModelVersion[], x: readonly number[]): Mark[] {
  const [from, to] = [x[0] ?? 0, x.at(-1) ?? 0]
  const hasGroups = versions.some(({ group }) => group !== versions[0]!.group)
  const marks: Mark[] = []
  for (const { time, version, group } of versions.toSorted((a, b) => b.time - a.time)) {
    const next = marks.at(-1)?.x ?? Infinity
    if (time < from || time > to || next - time < (to - from) / maxMarks) continue
    marks.push({ x: time, label: hasGroups ? `${group} v${version}` : `v${version}` })
  }
  return marks
}
