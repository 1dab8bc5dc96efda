// Ranking quality: the served ranking compared with each part alone, its history, and the weights of
// the parts.

import { useMemo } from 'preact/hooks'

import type { GroupQuality, ModelVersion } from '../../service/index.ts'
import type { api } from '../api/client.ts'
import type { FetchState } from '../api/use-fetch.ts'
import { isServing } from '../api/versions.ts'
import { counted, figure, fixed, percent } from '../format.ts'
import { Chart } from '../parts/chart/chart.tsx'
import { Loaded, Empty, Panel } from '../parts/panel.tsx'
import { partNames, partTitles, type Parts } from '../parts/relevance-parts.tsx'
import { Table } from '../parts/table.tsx'

interface QualityPanelProps {
  readonly fetched: FetchState<Awaited<ReturnType<typeof api.quality>>>
  /** The groups whose model is not trained yet. */
  readonly untrained: ReadonlySet<string>
}

export const QualityPanel = ({ fetched, untrained }: QualityPanelProps) => (
  <Panel title="Quality" class="wide">
    <Loaded {...{ fetched }} what="quality">
      {({ groups }) =>
        groups.map((group) => (
          <ModelGroup
            key={group.group}
            {...{ group }}
            isOnly={groups.length === 1}
            isUntrained={untrained.has(group.group)}
          />
        ))
      }
    </Loaded>
  </Panel>
)

type GroupProps = Readonly<{ group: GroupQuality; isOnly: boolean; isUntrained: boolean }>

function ModelGroup({ group, isOnly, isUntrained }: GroupProps) {
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
        <Empty>No interaction has been ranked yet. Metrics appear as interactions arrive.</Empty>
      )}
      <div class="quality-now">
        {samplesOf(group).map((sample) => (
          <Methods key={sample.label} {...sample} {...{ isUntrained }} />
        ))}
        {blend && <Weights weights={blend.weights} />}
      </div>
      <p class="soft small">
        {servesTexts[serves]} HR@10 is the share of chosen items among the first ten. NDCG@10 and
        MRR also consider their rank. Coverage is the share of the catalog among the first ten of
        any user.
      </p>
      {group.history.length + Number(live !== null) > 0 && <History {...{ group, isUntrained }} />}
    </div>
  )
}

interface Sample {
  readonly label: string
  readonly quality: Judged
  /** Which interactions were ranked. */
  readonly about: string
  readonly isTooFew: boolean
  readonly isBad: boolean
}

function samplesOf(quality: GroupQuality): readonly Sample[] {
  const { group, heldOut, judgedOn, belowPopularity } = quality
  const isIndependent = judgedOn === 'independent'
  const live = isIndependent ? quality.independent : quality.live
  const heldOutSample = heldOut && {
    label: `Held-out quality of ${group} by method`,
    quality: heldOut,
    about: 'held out of full training',
    isTooFew: !isEnough(heldOut.served),
    isBad: false,
  }
  const liveSample = live && {
    label: `Quality of ${group} by method`,
    quality: live,
    about:
      'as they arrived, ranked before any training on them; ' +
      (isIndependent
        ? 'these users saw no slate on the day before'
        : 'clicks on slates favor the served ranking'),
    isTooFew: belowPopularity === null,
    isBad: belowPopularity === true,
  }
  return [heldOutSample, liveSample].filter((sample) => sample !== null)
}

type MethodsProps = Sample & Pick<GroupProps, 'isUntrained'>

function Methods({ label, quality, about, isTooFew, isBad, isUntrained }: MethodsProps) {
  const look = (method: Method, text: string) =>
    method === 'served' ? <strong class={isBad ? 'error' : ''}>{text}</strong> : text
  const metric =
    (name: 'hr10' | 'ndcg10' | 'mrr' | 'coverage', format: (value: number) => string) =>
    (method: Method) => {
      if (method !== 'model' || !isUntrained) return look(method, format(quality[method][name]))
      return <span class="soft">{name === 'hr10' ? 'not trained yet' : '–'}</span>
    }
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
          '#HR@10': metric('hr10', percent),
          '#NDCG@10': metric('ndcg10', figure),
          '#MRR': metric('mrr', figure),
          '#Coverage': metric('coverage', percent),
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

function History({ group, isUntrained }: Omit<GroupProps, 'isOnly'>) {
  const curves = useMemo(() => historyOf(group, Date.now(), isUntrained), [group, isUntrained])
  return (
    <Chart
      description={`HR@10 of ${group.group} over time on ${group.live ? 'new' : 'held-out'} interactions, one line per method`}
      xLabel="Time"
      yLabel="HR@10"
      time
      height={220}
      {...curves}
    />
  )
}

const methodTitles = {
  served: 'Served',
  model: 'Model alone',
  memory: 'Memory alone',
  popularity: 'Popularity alone',
} as const
type Method = keyof typeof methodTitles
const methods = Object.keys(methodTitles) as Method[]
type Judged = NonNullable<GroupQuality['live']>

/** The minimum number of interactions for a comparison. */
const minExamples = 50
const isEnough = ({ examples }: Judged[Method]): boolean => examples >= minExamples

export const servesTexts: Readonly<Record<GroupQuality['serves'], string>> = {
  blend: 'Requests use all parts with fitted weights.',
  memory:
    'Requests use memory, popularity and click rates with default weights, because all parts with ' +
    'fitted weights ranked clearly worse than memory alone.',
  popularity:
    'Requests use popularity and click rates, because all parts with fitted weights ranked clearly ' +
    'worse than popularity alone.',
}

/** The groups that still serve the initial weights of their model. */
export const untrainedGroups = (versions: readonly ModelVersion[]): ReadonlySet<string> =>
  new Set(
    versions
      .filter((version) => version.origin === 'start' && isServing(version, versions))
      .map(({ group }) => group),
  )

/**
 * HR@10 over time, one line per method, without an untrained model: on interactions as they arrived,
 * or on held-out ones before the first of them.
 */
export function historyOf(
  { history, live }: Pick<GroupQuality, 'history' | 'live'>,
  now: number,
  isUntrained: boolean,
) {
  const hasHeldOut = history.some((point) => point.judgedOn === 'held-out')
  const judgedOn = live || !hasHeldOut ? 'live' : 'held-out'
  const past = history.filter((point) => point.judgedOn === judgedOn)
  const points = [...past, ...(live ? [{ time: now, ...live }] : [])]
  const shown = methods.filter((method) => method !== 'model' || !isUntrained)
  const lines = shown.map((method) => ({
    label: methodTitles[method],
    values: points.map((at) => at[method].hr10),
    color: methods.indexOf(method),
    dashed: method === 'popularity',
  }))
  return { x: points.map(({ time }) => time), lines }
}

/**
 * The quality in one sentence, from the larger of two samples: held-out interactions, and those that
 * no slate can have led to. Clicks on slates are no evidence, because the served items are all that
 * these users could click. Null if both samples are too small.
 */
export function headlineOfQuality(groups: readonly GroupQuality[]): string | null {
  const [best] = groups
    .flatMap(({ independent, heldOut }) => [independent ?? [], heldOut ?? []].flat())
    .filter(({ served }) => isEnough(served))
    .toSorted((a, b) => b.served.examples - a.served.examples)
  if (!best) return null
  const { served, popularity } = best
  const text = `The ten items served contain the next choice of ${percent(served.hr10)} of users`
  if (popularity.hr10 === 0) return `${text}.`
  return `${text}, ${(served.hr10 / popularity.hr10).toFixed(1)} times as often as the most popular ten.`
}
