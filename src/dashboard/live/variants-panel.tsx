// Comparison of the variants, with intervals and an explanation.

import type { VariantComparison } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import { count, figure } from '../format.ts'
import { Panel } from '../parts/panel.tsx'
import { Answer } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { formatDifference } from './format-difference.ts'
import { placeOn, rangeOf } from './interval-range.ts'
import type { Range } from './interval-range.ts'
import { pairVariants } from './pair-variants.ts'
import type { Entrant } from './pair-variants.ts'

type Variant = VariantComparison['variants'][number]

interface Entered {
  /** The variants of the demo; otherwise all are compared with the first. */
  readonly entrants: readonly Entrant[]
}

export function VariantsPanel({ entrants }: Entered) {
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
