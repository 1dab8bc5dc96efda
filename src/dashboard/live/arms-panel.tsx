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
import { pairArms } from './pair-arms.ts'
import type { Entrant } from './pair-arms.ts'

type Arm = ArmComparison['arms'][number]

interface Entered {
  /** Those of a demonstration; else all are set against the first. */
  readonly entrants: readonly Entrant[]
}

export function ArmsPanel({ entrants }: Entered) {
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
            <Arms {...comparison} {...{ entrants }} />
            <p class="soft small">{comparison.measures}</p>
          </>
        )}
      </Answer>
    </Panel>
  )
}

function Arms({ arms, differences, entrants }: ArmComparison & Entered) {
  const range = rangeOf(arms)
  const pairs = pairArms(arms, entrants)
  const columns = ['Arm', '#Users', '#Slates', '#Reward a slate', 'Interval']
  const base = pairs ? `${pairs.base} of its seed` : arms[0]?.arm
  const against = arms.length > 1 ? [`Against ${base}`] : []
  const shown = pairs?.differences ?? differences
  return (
    <>
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
            ...against.map(() => differenceInWords(shown.find((one) => one.arm === arm.arm))),
          ],
        }))}
      />
      {pairs?.policies.map((policy) => (
        <p key={policy.arm}>
          All rounds so far, over all seeds: {policy.arm} against {policy.against}{' '}
          {differenceInWords(policy)}. The headline tells of the last rounds alone.
        </p>
      ))}
    </>
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
