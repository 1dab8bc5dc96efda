// Ranking quality: what is served compared with each part alone, its history, and the weights of the
// parts.

import { useMemo } from 'preact/hooks'

import type { GroupQuality } from '../../service/index.ts'
import type { api } from '../api/client.ts'
import type { FetchState } from '../api/use-fetch.ts'
import { counted, figure, fixed, percent } from '../format.ts'
import { Chart } from '../parts/chart/chart.tsx'
import { Panel } from '../parts/panel.tsx'
import { partNames, partTitles } from '../parts/relevance-parts.tsx'
import type { Parts } from '../parts/relevance-parts.tsx'
import { Answer, Empty } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { historyOf, isEnough, methods, methodTitles, servesText } from './quality-figures.ts'
import type { Judged, Method } from './quality-figures.ts'

type Report = Awaited<ReturnType<typeof api.quality>>

export function QualityPanel({ fetched }: { readonly fetched: FetchState<Report> }) {
  return (
    <Panel title="Quality" class="wide">
      <Answer {...{ fetched }} what="quality">
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
  const { group: name, live, heldOut, blend, serves, belowPopularity } = group
  return (
    <div class="quality">
      {!isOnly && <h3>{name}</h3>}
      {belowPopularity === true && (
        <p class="error" role="alert">
          What is served ranks below popularity.
        </p>
      )}
      {!live && !heldOut && (
        <Empty>No interaction has been judged yet. Figures appear as interactions arrive.</Empty>
      )}
      <div class="quality-now">
        {heldOut && (
          <Methods
            label={`Held-out quality of ${name} by method`}
            quality={heldOut}
            about="held out of full training"
            isTooFew={!isEnough(heldOut.served)}
          />
        )}
        {live && (
          <Methods
            label={`Quality of ${name} by method`}
            quality={live}
            about="as they arrived, ranked before anything learned from them"
            isTooFew={belowPopularity === null}
            isBad={belowPopularity === true}
          />
        )}
        {blend && <Weights weights={blend.weights} />}
      </div>
      <p class="soft small">
        {servesText(serves)} HR@10 is the share of chosen items among the first ten. NDCG@10 and MRR
        weigh their rank. Coverage is the share of the catalog among the first ten of any user.
      </p>
      {live && <History {...{ group }} />}
    </div>
  )
}

interface MethodsProps {
  readonly label: string
  readonly quality: Judged
  /** Which interactions were ranked. */
  readonly about: string
  readonly isTooFew: boolean
  readonly isBad?: boolean
}

function Methods({ label, quality, about, isTooFew, isBad = false }: MethodsProps) {
  const look = (method: Method, text: string) =>
    method === 'served' ? <strong class={isBad ? 'error' : ''}>{text}</strong> : text
  return (
    <div>
      <p class="soft small">
        {counted(quality.served.examples, 'interaction')} {about}
        {isTooFew && '; too few to compare'}
      </p>
      <Table
        label={label}
        columns={['Method', '#HR@10', '#NDCG@10', '#MRR', '#Coverage']}
        rows={methods.map((method) => {
          const { hr10, ndcg10, mrr, coverage } = quality[method]
          const cells = [percent(hr10), figure(ndcg10), figure(mrr), percent(coverage)]
          return {
            key: method,
            cells: [methodTitles[method], ...cells].map((text) => look(method, text)),
          }
        })}
      />
    </div>
  )
}

/** The weights of the parts. */
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
            {fixed(weights[name], 2)}
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
