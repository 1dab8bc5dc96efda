// The panels that both forms of the Live view share: metrics per policy, the comparison of variants, and models.

import type { ServiceMetrics, VariantComparison } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import { count, figure, fixed, percent } from '../format.ts'
import { TrainingNow, VersionsTable } from '../parts/models.tsx'
import { Answer, Empty, Panel } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'
import { addressOf } from '../route.ts'
import { formatDifference, pairVariants, placeOn, rangeOf } from './variants.ts'
import type { Entrant, Range } from './variants.ts'

interface PanelsProps {
  readonly metrics: ServiceMetrics
  /** The variants of the demo. */
  readonly entrants?: readonly Entrant[]
}

export function Panels({ metrics, entrants = [] }: PanelsProps) {
  return (
    <>
      <PoliciesPanel {...{ metrics }} />
      <VariantsPanel {...{ entrants }} />
      <ModelsPanel />
    </>
  )
}

const policyColumns = [
  'Policy',
  '#Reward per slate',
  '#Click rate',
  '#Coverage',
  '#Gini',
  '#Exploration',
]

function PoliciesPanel({ metrics: { policies, window } }: { readonly metrics: ServiceMetrics }) {
  const aside = <span class="soft small">the last {count(window)} slates of each policy</span>
  return (
    <Panel title="Policies" {...{ aside }}>
      {policies.length === 0 ? (
        <Empty>No slates served yet.</Empty>
      ) : (
        <Table
          label="Metrics per policy"
          columns={policyColumns}
          rows={policies.map((policy) => ({
            key: policy.name,
            cells: [
              policy.name,
              figure(policy.reward),
              percent(policy.clickRate),
              percent(policy.coverage),
              fixed(policy.gini, 2),
              percent(policy.explorationShare),
            ],
          }))}
        />
      )}
      <p class="soft small">
        Click rate: share of slates with a chosen item. Coverage: share of the catalog that was
        shown. Gini: 0 if all items are shown equally often, near 1 if one item dominates.
        Exploration: share of the score that is not relevance.
      </p>
    </Panel>
  )
}

type Variant = VariantComparison['variants'][number]

interface Entered {
  /** The variants of the demo; otherwise all are compared with the first. */
  readonly entrants: readonly Entrant[]
}

function VariantsPanel({ entrants }: Entered) {
  const fetched = useFetch(api.variants, [], { everyMs: 5000 })
  return (
    <Panel title="Variants" class="wide" aside={<span class="soft small">95 % intervals</span>}>
      <Answer {...{ fetched }} what="variants">
        {(comparison) => (
          <>
            <Variants {...comparison} {...{ entrants }} />
            <p class="soft small">{comparison.measures}</p>
          </>
        )}
      </Answer>
    </Panel>
  )
}

function Variants({ variants, differences, entrants }: VariantComparison & Entered) {
  const range = rangeOf(variants)
  const pairs = pairVariants(variants, entrants)
  const columns = ['Variant', '#Users', '#Slates', '#Reward per slate', 'Interval']
  const base = pairs ? `${pairs.base} of its seed` : variants[0]?.variant
  const against = variants.length > 1 ? [`Against ${base}`] : []
  const shown = pairs?.differences ?? differences
  return (
    <>
      <Table
        label="Mean reward per slate by variant, with its interval"
        columns={[...columns, ...against]}
        rows={variants.map((variant) => ({
          key: variant.variant,
          cells: [
            variant.variant,
            count(variant.users),
            count(variant.slates),
            figure(variant.reward),
            <Interval {...{ variant, range }} />,
            ...against.map(() =>
              formatDifference(shown.find((one) => one.variant === variant.variant)),
            ),
          ],
        }))}
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

function Interval({
  variant: { reward, interval },
  range,
}: {
  readonly variant: Variant
  readonly range: Range
}) {
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
      <Answer {...{ fetched }} what="models">
        {({ versions }) => <VersionsTable {...{ versions }} label="Served model versions" />}
      </Answer>
    </Panel>
  )
}
