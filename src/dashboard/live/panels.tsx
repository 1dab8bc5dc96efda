// The panels of both forms of the Live view: metrics per policy, the comparison of variants, and models.

import type { ServiceMetrics, VariantComparison } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import { count, figure, fixed, percent } from '../format.ts'
import type { Bounds } from '../parts/chart/plot.ts'
import { TrainingNow, VersionsTable } from '../parts/models.tsx'
import { Loaded, Panel } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'
import { addressOf } from '../route.ts'
import { formatDifference, pairVariants, placeOn, rangeOf, type Entrant } from './variants.ts'

interface PanelsProps {
  readonly metrics: ServiceMetrics
  /** The variants of the demo; otherwise all are compared with the first. */
  readonly entrants?: readonly Entrant[]
}

export const Panels = ({ metrics, entrants = [] }: PanelsProps) => (
  <>
    <PoliciesPanel {...metrics} />
    <VariantsPanel {...{ entrants }} />
    <ModelsPanel />
  </>
)

const PoliciesPanel = ({ policies, window }: ServiceMetrics) => (
  <Panel title="Policies" note={`the last ${count(window)} slates of each policy`}>
    <Table
      label="Metrics per policy"
      rows={policies}
      empty="No slates served yet."
      rowKey={({ name }) => name}
      columns={{
        Policy: ({ name }) => name,
        '#Reward per slate': ({ reward }) => figure(reward),
        '#Click rate': ({ clickRate }) => percent(clickRate),
        '#Coverage': ({ coverage }) => percent(coverage),
        '#Gini': ({ gini }) => fixed(gini, 2),
        '#Exploration': ({ explorationShare }) => percent(explorationShare),
      }}
    />
    <p class="soft small">
      Click rate: share of slates with a chosen item. Coverage: share of the catalog that was shown.
      Gini: 0 if all items are shown equally often, near 1 if one item dominates. Exploration: share
      of the score that is not relevance.
    </p>
  </Panel>
)

type Variant = VariantComparison['variants'][number]

type Entered = Required<Pick<PanelsProps, 'entrants'>>

function VariantsPanel({ entrants }: Entered) {
  const fetched = useFetch(api.variants, [], { everyMs: 5000 })
  return (
    <Panel title="Variants" class="wide" note="95% intervals">
      <Loaded {...{ fetched }} what="variants">
        {(comparison) => (
          <>
            <Variants {...comparison} {...{ entrants }} />
            <p class="soft small">{comparison.measures}</p>
          </>
        )}
      </Loaded>
    </Panel>
  )
}

function Variants({ variants, differences, entrants }: VariantComparison & Entered) {
  const range = rangeOf(variants)
  const pairs = pairVariants(variants, entrants)
  const base = pairs ? `${pairs.base} of its seed` : variants[0]?.variant
  const difference = ({ variant }: Variant): string =>
    formatDifference((pairs?.differences ?? differences).find((one) => one.variant === variant))
  return (
    <>
      <Table
        label="Mean reward per slate by variant, with its interval"
        rows={variants}
        rowKey={({ variant }) => variant}
        columns={{
          Variant: ({ variant }) => variant,
          '#Users': ({ users }) => count(users),
          '#Slates': ({ slates }) => count(slates),
          '#Reward per slate': ({ reward }) => figure(reward),
          Interval: (variant) => <Interval {...{ variant, range }} />,
          ...(variants.length > 1 && { [`Against ${base}`]: difference }),
        }}
      />
      {pairs?.policies.map((policy) => (
        <p key={policy.variant}>
          All rounds so far, over all seeds: {policy.variant} against {policy.against}{' '}
          {formatDifference(policy)}. The headline is about the last rounds only.
        </p>
      ))}
    </>
  )
}

function Interval({ variant, range }: { readonly variant: Variant; readonly range: Bounds }) {
  const { reward, interval } = variant
  if (reward === null) return <>–</>
  const [low, high] = interval ?? [reward, reward]
  return (
    <span class="interval">
      <span aria-hidden="true">
        <i style={{ left: placeOn(range, low), right: `calc(100% - ${placeOn(range, high)})` }} />
        <b style={{ left: placeOn(range, reward) }} />
      </span>
      <small class="soft">{interval ? `${figure(low)} to ${figure(high)}` : 'too few users'}</small>
    </span>
  )
}

function ModelsPanel() {
  const fetched = useFetch(api.model, [], { everyMs: 2000 })
  const aside = (
    <a class="small" href={addressOf('operations')}>
      all versions
    </a>
  )
  return (
    <Panel title="Models" class="wide" {...{ aside }}>
      <TrainingNow />
      <Loaded {...{ fetched }} what="models">
        {({ versions }) => <VersionsTable {...{ versions }} label="Served model versions" />}
      </Loaded>
    </Panel>
  )
}
