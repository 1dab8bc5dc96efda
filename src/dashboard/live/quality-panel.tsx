// How well the service ranks what users choose next: what is served beside each part alone, how that
// changed, and what the parts weigh.

import { useMemo } from 'preact/hooks'

import type { GroupQuality } from '../../service/index.ts'
import type { api } from '../api/client.ts'
import type { Asked } from '../api/use-asked.ts'
import { counted, figure, percent } from '../format.ts'
import { Chart } from '../parts/chart/chart.tsx'
import { Panel } from '../parts/panel.tsx'
import { partNames, partTitles } from '../parts/relevance-parts.tsx'
import type { Parts } from '../parts/relevance-parts.tsx'
import { Answer, Empty } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import {
  historyOf,
  isBelowPopularity,
  isEnough,
  methods,
  methodTitles,
  servesText,
} from './quality-figures.ts'
import type { Method } from './quality-figures.ts'

type Report = Awaited<ReturnType<typeof api.quality>>

export function QualityPanel({ asked }: { readonly asked: Asked<Report> }) {
  return (
    <Panel
      title="Quality"
      class="wide"
      aside={
        <span class="soft small">
          the newest interactions, ranked before anything learned from them
        </span>
      }
    >
      <Answer {...{ asked }} what="quality">
        {({ groups }) =>
          groups.map((group) => (
            <Group key={group.group} {...{ group }} isOnly={groups.length === 1} />
          ))
        }
      </Answer>
    </Panel>
  )
}

interface GroupProps {
  readonly group: GroupQuality
  readonly isOnly: boolean
}

function Group({ group, isOnly }: GroupProps) {
  const { live, blend } = group
  return (
    <div class="quality">
      {!isOnly && <h3>{group.group}</h3>}
      {live === null ? (
        <Empty>No interaction has been judged yet. Figures appear as interactions arrive.</Empty>
      ) : (
        <>
          {isBelowPopularity(live) && (
            <p class="error" role="alert">
              What is served ranks below popularity.
            </p>
          )}
          <div class="quality-now">
            <Methods name={group.group} {...{ live }} />
            {blend && <Weights weights={blend.weights} />}
          </div>
          <p class="soft small">
            {servesText(group.serves)} Judged: {counted(live.served.examples, 'interaction')}
            {isEnough(live.served) ? '' : ', too few to compare'}. HR@10 is the share of chosen
            items among the first ten. NDCG@10 and MRR weigh their rank. Coverage is the share of
            the catalog among the first ten of any user.
          </p>
          <History {...{ group }} />
        </>
      )}
    </div>
  )
}

interface MethodsProps {
  readonly name: string
  readonly live: NonNullable<GroupQuality['live']>
}

function Methods({ name, live }: MethodsProps) {
  const isBad = isBelowPopularity(live)
  const look = (method: Method, text: string) =>
    method === 'served' ? <strong class={isBad ? 'error' : ''}>{text}</strong> : text
  return (
    <Table
      label={`Quality of ${name} by method`}
      columns={['Method', '#HR@10', '#NDCG@10', '#MRR', '#Coverage']}
      rows={methods.map((method) => {
        const { hr10, ndcg10, mrr, coverage } = live[method]
        const cells = [percent(hr10), figure(ndcg10), figure(mrr), percent(coverage)]
        return {
          key: method,
          cells: [methodTitles[method], ...cells].map((text) => look(method, text)),
        }
      })}
    />
  )
}

function Weights({ weights }: { readonly weights: Parts }) {
  const largest = Math.max(...partNames.map((name) => Math.abs(weights[name])), 1e-9)
  return (
    <dl class="weights" aria-label="Weights of the parts">
      {partNames.map((name) => (
        <div key={name}>
          <dt>{partTitles[name]}</dt>
          <dd>
            <span aria-hidden="true">
              <i
                class={`part-${name}`}
                style={{ width: `${(100 * Math.abs(weights[name])) / largest}%` }}
              />
            </span>
            {figure(weights[name])}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function History({ group }: Pick<GroupProps, 'group'>) {
  const { x, lines } = useMemo(() => historyOf(group, Date.now()), [group])
  return (
    <Chart
      description={`HR@10 of ${group.group} over time, one line per method`}
      xLabel="Time"
      yLabel="HR@10"
      time
      height={220}
      {...{ x, lines }}
    />
  )
}
