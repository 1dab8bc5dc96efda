// The final results of the chosen runs, as a table.

import type { Comparison, Estimate } from '../../experiments/summary.ts'
import { figure, signed } from '../format.ts'
import { Panel } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'
import type { CurvePanelProps } from './curve-panel.tsx'
import { measures, type Measure } from './curves.ts'
import type { Run } from './run.ts'

type FinalPanelProps = Pick<CurvePanelProps, 'runs' | 'measure' | 'hidden'>

export function FinalPanel({ runs, measure, hidden }: FinalPanelProps) {
  const rows = finalFigures(runs, measure, hidden)
  if (rows.length === 0) return null
  return (
    <Panel title="Results" note="mean ± standard error; differences paired by seed">
      <Table
        label="Final results of the selected runs"
        rows={rows}
        rowKey={({ run, method }) => `${run.job.id} ${method}`}
        columns={{
          Method: ({ method }) => method,
          ...(runs.length > 1 && { Run: ({ run }: FinalFigures) => run.title }),
          '#Seeds': ({ reward }) => reward?.count ?? '–',
          '#Final reward': ({ reward }) => withError(reward),
          '#Regret': ({ regret }) => withError(regret),
          [`Difference of ${measure}, 95% interval`]: (row) => <Difference {...row} />,
        }}
      />
    </Panel>
  )
}

function Difference({ run, method, difference, verdict }: FinalFigures) {
  if (!difference) {
    return (
      <span class="soft">
        {run.methods[0] === method ? 'base of the comparison' : 'needs two common seeds'}
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
export function finalFigures(runs: readonly Run[], measure: Measure, hidden: ReadonlySet<string>) {
  return runs.flatMap((run) => {
    const { methods = [], comparisons = [] } = run.result?.summary ?? {}
    return methods
      .filter(({ method }) => !hidden.has(method))
      .map(({ method, measures: ends }) => {
        const isOwn = (other: Comparison): boolean =>
          other.method === method && other.measure === measures[measure].final
        const difference = comparisons.find(isOwn) ?? null
        return {
          run,
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
