// Metrics per policy: reward, coverage, Gini, and the share of exploration.

import type { ServiceMetrics } from '../../service/index.ts'
import { count, figure, fixed, percent } from '../format.ts'
import { Panel } from '../parts/panel.tsx'
import { Empty } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'

const columns = ['Policy', '#Reward per slate', '#Click rate', '#Coverage', '#Gini', '#Exploration']

export function PoliciesPanel({
  metrics: { policies, window },
}: {
  readonly metrics: ServiceMetrics
}) {
  const aside = <span class="soft small">the last {count(window)} slates of each policy</span>
  return (
    <Panel title="Policies" {...{ aside }}>
      {policies.length === 0 ? (
        <Empty>No slates served yet.</Empty>
      ) : (
        <Table
          label="Metrics per policy"
          {...{ columns }}
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
