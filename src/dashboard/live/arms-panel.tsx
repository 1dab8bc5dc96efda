// The arms beside each other, each with its interval, and what the comparison measures.

import type { ArmComparison } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useAsked } from '../api/use-asked.ts'
import { count, figure } from '../format.ts'
import { Panel } from '../parts/panel.tsx'
import { Answer } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { differenceInWords } from './difference-in-words.ts'
import { placeOn, rangeOf } from './interval-range.ts'
import type { Range } from './interval-range.ts'

type Arm = ArmComparison['arms'][number]

export function ArmsPanel() {
  const asked = useAsked(api.arms, [], { everyMs: 5000 })
  return (
    <Panel
      title="Arms compared"
      class="wide"
      aside={<span class="soft small">95 % intervals</span>}
    >
      <Answer {...{ asked }} what="arms">
        {(comparison) => (
          <>
            <Arms {...comparison} />
            <p class="soft small">{comparison.measures}</p>
          </>
        )}
      </Answer>
    </Panel>
  )
}

function Arms({ arms, differences }: ArmComparison) {
  const range = rangeOf(arms)
  const columns = ['Arm', '#Users', '#Slates', '#Reward a slate', 'Interval']
  const against = arms.length > 1 ? [`Against ${arms[0]!.arm}`] : []
  return (
    <Table
      label="Mean reward of a slate by arm, with its interval"
      columns={[...columns, ...against]}
      rows={arms.map((arm) => ({
        key: arm.arm,
        cells: [
          arm.arm,
          count(arm.users),
          count(arm.slates),
          figure(arm.reward),
          <Interval {...{ arm, range }} />,
          ...against.map(() => differenceInWords(differences.find((one) => one.arm === arm.arm))),
        ],
      }))}
    />
  )
}

function Interval({
  arm: { reward, interval },
  range,
}: {
  readonly arm: Arm
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
      <small class="soft">
        {interval ? `${figure(low)} to ${figure(high)}` : 'too few users to say'}
      </small>
    </span>
  )
}
