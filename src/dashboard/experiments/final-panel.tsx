// The final results of the chosen runs, as a table.

import type { Estimate } from '../../experiments/summary.ts'
import { figure, signed } from '../format.ts'
import { Panel } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'
import { finalFigures } from './final-figures.ts'
import type { FinalFigures } from './final-figures.ts'
import type { Measure } from './curves.ts'
import type { Race } from './race.ts'

interface FinalPanelProps {
  readonly races: readonly Race[]
  readonly measure: Measure
  readonly hidden: ReadonlySet<string>
}

export function FinalPanel({ races, measure, hidden }: FinalPanelProps) {
  const rows = finalFigures(races, measure, hidden)
  if (rows.length === 0) return null
  const columns = [
    'Method',
    ...(races.length > 1 ? ['Run'] : []),
    '#Seeds',
    '#Final reward',
    '#Regret',
    `Difference of ${measure}, 95 % interval`,
  ]
  return (
    <Panel
      title="Results"
      aside={<span class="soft small">mean ± standard error; differences paired by seed</span>}
    >
      <Table
        label="Final figures of the chosen runs"
        columns={columns}
        rows={rows.map((row) => ({
          key: `${row.race.job.id} ${row.method}`,
          cells: [
            row.method,
            ...(races.length > 1 ? [row.race.title] : []),
            row.reward?.count ?? '–',
            withError(row.reward),
            withError(row.regret),
            <Difference {...row} />,
          ],
        }))}
      />
    </Panel>
  )
}

function Difference({ race, method, difference, verdict }: FinalFigures) {
  if (!difference) {
    return (
      <span class="soft">
        {race.methods[0] === method ? 'base of comparison' : 'needs two common seeds'}
      </span>
    )
  }
  return (
    <>
      {signed(difference.difference.mean)}{' '}
      <span class="soft">
        ({signed(difference.lower)} to {signed(difference.upper)})
      </span>{' '}
      <span class={looks[verdict!]}>{verdict}</span>
    </>
  )
}

const looks = { better: 'good', worse: 'error', unclear: 'soft' } as const

function withError(estimate: Estimate | undefined): string {
  if (!estimate) return '–'
  const { mean, standardError, count } = estimate
  return count > 1 ? `${figure(mean)} ± ${figure(standardError)}` : figure(mean)
}
