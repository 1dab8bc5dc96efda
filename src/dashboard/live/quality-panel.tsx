// Ranking quality: what is served compared with each part alone, its history, and the weights of the
// parts.

import { useMemo } from 'preact/hooks'

import type { GroupQuality } from '../../service/index.ts'
import type { api } from '../api/client.ts'
import type { FetchState } from '../api/use-fetch.ts'
import { counted, figure, fixed, percent } from '../format.ts'
import { Chart } from '../parts/chart/chart.tsx'
import { Answer, Empty, Panel } from '../parts/panel.tsx'
import { partNames, partTitles } from '../parts/relevance-parts.tsx'
import type { Parts } from '../parts/relevance-parts.tsx'
import { Table } from '../parts/table.tsx'

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

const methods = ['served', 'model', 'memory', 'popularity'] as const
type Method = (typeof methods)[number]
type Judged = NonNullable<GroupQuality['live']>

const methodTitles: Readonly<Record<Method, string>> = {
  served: 'Served',
  model: 'Model alone',
  memory: 'Memory alone',
  popularity: 'Popularity alone',
}

/** Minimum number of interactions for the headline. */
const fewest = 50
const isEnough = ({ examples }: Judged[Method]): boolean => examples >= fewest

const servesTexts: Readonly<Record<GroupQuality['serves'], string>> = {
  blend: 'All parts with fitted weights answer requests.',
  memory:
    'Memory, popularity and click rates with their default weights answer requests, because all ' +
    'parts with fitted weights ranked clearly worse than memory alone.',
  popularity:
    'Popularity and click rates answer requests, because all parts with fitted weights ranked ' +
    'clearly worse than popularity alone.',
}

export const servesText = (serves: GroupQuality['serves']): string => servesTexts[serves]

/** HR@10 over time up to now, one line per method. */
export function historyOf({ history, live }: Pick<GroupQuality, 'history' | 'live'>, now: number) {
  const points = [...history, ...(live ? [{ time: now, ...live }] : [])]
  const lines = methods.map((method, color) => ({
    label: methodTitles[method],
    values: points.map((at) => at[method].hr10),
    color,
    dashed: method === 'popularity',
  }))
  return { x: points.map(({ time }) => time), lines }
}

/** The quality in one sentence, from the larger of the two samples; null if both are too small. */
export function headlineOfQuality(groups: readonly GroupQuality[]): string | null {
  const [best] = groups
    .flatMap(({ live, heldOut }) => [live ?? [], heldOut ?? []].flat())
    .filter(({ served }) => isEnough(served))
    .toSorted((a, b) => b.served.examples - a.served.examples)
  if (!best) return null
  const { served, popularity } = best
  const text = `The ten items served contain the next choice of ${percent(served.hr10)} of users`
  if (popularity.hr10 === 0) return `${text}.`
  return `${text}, ${(served.hr10 / popularity.hr10).toFixed(1)} times as often as the most popular ten.`
}
