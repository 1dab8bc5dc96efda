// What the chosen runs came to, as a table.

import type { Estimate } from '../../experiments/summary.ts'
import { figure } from '../format.ts'
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
      title="What it came to"
      aside={<span class="soft note">mean ± standard error; differences paired by seed</span>}
    >
      <Table label="Final figures of the chosen runs" columns={columns}>
        {rows.map((row) => (
          <FinalRow key={`${row.race.job.id} ${row.method}`} row={row} isNamed={races.length > 1} />
        ))}
      </Table>
    </Panel>
  )
}

function FinalRow({ row, isNamed }: { readonly row: FinalFigures; readonly isNamed: boolean }) {
  const { race, method, reward, regret, difference, verdict } = row
  return (
    <tr>
      <th scope="row" class="plain">
        {method}
      </th>
      {isNamed && <td>{race.title}</td>}
      <td class="number">{reward?.count ?? '–'}</td>
      <td class="number">{withError(reward)}</td>
      <td class="number">{withError(regret)}</td>
      <td>
        {difference ? (
          <>
            {signed(difference.difference.mean)}{' '}
            <span class="soft">
              ({signed(difference.lower)} to {signed(difference.upper)})
            </span>{' '}
            <span class={looks[verdict!]}>{verdict}</span>
          </>
        ) : (
          <span class="soft">
            {race.methods[0] === method ? 'base of comparison' : 'takes two seeds in common'}
          </span>
        )}
      </td>
    </tr>
  )
}

const looks = { better: 'good', worse: 'error', unclear: 'soft' } as const

function withError(estimate: Estimate | undefined): string {
  if (!estimate) return '–'
  const { mean, standardError, count } = estimate
  return count > 1 ? `${figure(mean)} ± ${figure(standardError)}` : figure(mean)
}

const signed = (value: number): string =>
  `${value > 0 ? '+' : value < 0 ? '−' : ''}${figure(Math.abs(value))}`
