// What each policy shows and earns: coverage, Gini, and how much of its scores is exploration.

import type { ServiceMetrics } from '../../service/index.ts'
import { count, figure, fixed, percent } from '../format.ts'
import { Panel } from '../parts/panel.tsx'
import { Empty } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'

const columns = ['Policy', '#Reward a slate', '#Taken from', '#Coverage', '#Gini', '#Exploration']

export function PoliciesPanel({
  metrics: { policies, window },
}: {
  readonly metrics: ServiceMetrics
}) {
  const aside = <span class="soft small">the last {count(window)} slates of each policy</span>
  return (
    <Panel title="What is shown" {...{ aside }}>
      {policies.length === 0 ? (
        <Empty>Nothing has been served yet.</Empty>
      ) : (
        <Table
          label="What each policy shows and earns"
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
        Taken from: slates of which something was taken. Coverage: the share of the catalogue that
        was shown. Gini: 0 where all items are shown alike, near 1 where one item has it all.
        Exploration: the share of a score that is not relevance.
      </p>
    </Panel>
  )
}
