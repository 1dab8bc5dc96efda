// The final results of the chosen runs, as a table.

import type { Comparison, Estimate } from '../../experiments/summary.ts'
import { figure, signed } from '../format.ts'
import { Panel } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'
import type { CurvePanelProps } from './curve-panel.tsx'
import { measures, type Measure } from './curves.ts'
import type { Race } from './race.ts'

type FinalPanelProps = Pick<CurvePanelProps, 'races' | 'measure' | 'hidden'>

export function FinalPanel({ races, measure, hidden }: FinalPanelProps) {
  const rows = finalFigures(races, measure, hidden)
  if (rows.length === 0) return null
  return (
    <Panel title="Results" note="mean ± standard error; differences paired by seed">
      <Table
        label="Final results of the selected runs"
        rows={rows}
        rowKey={({ race, method }) => `${race.job.id} ${method}`}
        columns={{
          Method: ({ method }) => method,
          ...(races.length > 1 && { Run: ({ race }: FinalFigures) => race.title }),
          '#Seeds': ({ reward }) => reward?.count ?? '–',
          '#Final reward': ({ reward }) => withError(reward),
          '#Regret': ({ regret }) => withError(regret),
          [`Difference of ${measure}, 95% interval`]: (row) => <Difference {...row} />,
        }}
      />
    </Panel>
  )
}

function Difference({ race, method, difference, verdict }: FinalFigures) {
  if (!difference) {
    return (
      <span class="soft">
        {race.methods[0] === method ? 'base of the comparison' : 'needs two common seeds'}
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

type FinalFigures = ReturnType<typeof finalFigures>[number]

/** `difference` is in the selected measure; null for the first method and with too few seeds. */
export function finalFigures(
  races: readonly Race[],
  measure: Measure,
  hidden: ReadonlySet<string>,
) {
  return races.flatMap((race) => {
    const { methods = [], comparisons = [] } = race.result?.summary ?? {}
    return methods
      .filter(({ method }) => !hidden.has(method))
      .map(({ method, measures: ends }) => {
        const isOwn = (other: Comparison): boolean =>
          other.method === method && other.measure === measures[measure].final
        const difference = comparisons.find(isOwn) ?? null
        return {
          race,
          method,
          reward: ends['finalReward'],
          regret: ends['cumulativeRegret'],
          difference,
          verdict: difference && verdictOf(difference, measure),
        }
      })
  })
}

/** Clear only if the interval excludes 0; lower regret is better. */
function verdictOf({ lower, upper }: Comparison, measure: Measure): keyof typeof looks {
  if (lower <= 0 && upper >= 0) return 'unclear'
  return lower > 0 === (measure === 'reward') ? 'better' : 'worse'
}
