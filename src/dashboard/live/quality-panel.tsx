// Ranking quality: the served ranking compared with each part alone, its history, and the weights of
// the parts.

import { useMemo } from 'preact/hooks'

import type { GroupQuality } from '../../service/index.ts'
import type { api } from '../api/client.ts'
import type { FetchState } from '../api/use-fetch.ts'
import { counted, figure, fixed, percent } from '../format.ts'
import { Chart } from '../parts/chart/chart.tsx'
import { Loaded, Empty, Panel } from '../parts/panel.tsx'
import { partNames, partTitles, type Parts } from '../parts/relevance-parts.tsx'
import { Table } from '../parts/table.tsx'

type Report = Awaited<ReturnType<typeof api.quality>>

export function QualityPanel({ fetched }: { readonly fetched: FetchState<Report> }) {
  return (
    <Panel title="Quality" class="wide">
      <Loaded {...{ fetched }} what="quality">
        {({ groups }) =>
          groups.map((group) => (
            <ModelGroup key={group.group} {...{ group }} isOnly={groups.length === 1} />
          ))
        }
      </Loaded>
    </Panel>
  )
}

interface GroupProps {
  readonly group: GroupQuality
  readonly isOnly: boolean
}

function ModelGroup({ group, isOnly }: GroupProps) {
  const { group: name, live, heldOut, blend, serves, belowPopularity } = group
  return (
    <div class="quality">
      {!isOnly && <h3>{name}</h3>}
      {belowPopularity === true && (
        <p class="error" role="alert">
          The served ranking is worse than popularity.
        </p>
      )}
      {!live && !heldOut && (
        <Empty>No interaction has been judged yet. Metrics appear as interactions arrive.</Empty>
      )}
      <div class="quality-now">
        {heldOut && <HeldOutMethods {...{ name, heldOut }} />}
        {live && <LiveMethods {...{ name, live, belowPopularity }} />}
        {blend && <Weights weights={blend.weights} />}
      </div>
      <p class="soft small">
        {servesText(serves)} HR@10 is the share of chosen items among the first ten. NDCG@10 and MRR
        also consider their rank. Coverage is the share of the catalog among the first ten of any
        user.
      </p>
      {live && <History {...{ group }} />}
    </div>
  )
}

const HeldOutMethods = ({ name, heldOut }: { readonly name: string; readonly heldOut: Judged }) => (
  <Methods
    label={`Held-out quality of ${name} by method`}
    quality={heldOut}
    about="held out of full training"
    isTooFew={!isEnough(heldOut.served)}
  />
)

interface LiveMethodsProps extends Pick<GroupQuality, 'belowPopularity'> {
  readonly name: string
  readonly live: Judged
}

const LiveMethods = ({ name, live, belowPopularity }: LiveMethodsProps) => (
  <Methods
    label={`Quality of ${name} by method`}
    quality={live}
    about="as they arrived, ranked before any training on them"
    isTooFew={belowPopularity === null}
    isBad={belowPopularity === true}
  />
)

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
        rows={methods}
        rowKey={(method) => method}
        columns={{
          Method: (method) => look(method, methodTitles[method]),
          '#HR@10': (method) => look(method, percent(quality[method].hr10)),
          '#NDCG@10': (method) => look(method, figure(quality[method].ndcg10)),
          '#MRR': (method) => look(method, figure(quality[method].mrr)),
          '#Coverage': (method) => look(method, percent(quality[method].coverage)),
        }}
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

/** The minimum number of interactions for a comparison. */
const minExamples = 50
const isEnough = ({ examples }: Judged[Method]): boolean => examples >= minExamples

const servesTexts: Readonly<Record<GroupQuality['serves'], string>> = {
  blend: 'Requests use all parts with fitted weights.',
  memory:
    'Requests use memory, popularity and click rates with default weights, because all parts with ' +
    'fitted weights ranked clearly worse than memory alone.',
  popularity:
    'Requests use popularity and click rates, because all parts with fitted weights ranked clearly ' +
    'worse than popularity alone.',
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
