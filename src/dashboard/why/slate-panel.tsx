// One setting, and the slate it leads to.

import type { Asked } from '../api/use-asked.ts'
import { Panel } from '../parts/panel.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { SettingControls } from './setting-controls.tsx'
import type { Setting } from './setting.ts'
import { moveMark, otherMark, SlateList } from './slate-list.tsx'
import type { Scale } from './term-bar.tsx'
import type { Weights } from './terms.ts'
import { useMoves } from './use-moves.ts'
import type { AskedSlate } from './use-slate.ts'

interface SlatePanelProps {
  /** A or B where two are compared, else empty. */
  readonly name: string
  readonly user: string
  readonly setting: Setting
  onSetting(setting: Setting): void
  readonly asked: Asked<AskedSlate | null>
  readonly typical: Weights | null
  /** The policy that serves this user, where it is known. */
  readonly ownPolicy: string | null
  readonly scale: Scale
  /** The slate beside it. */
  readonly other: { readonly name: string; readonly items: readonly string[] } | null
  readonly pointed: string | null
  onPoint(item: string | null): void
}

export function SlatePanel(props: SlatePanelProps) {
  const { name, user, setting, onSetting, asked, typical } = props
  const title = titleOf(name)
  const slate = slateOf(asked, user)
  const weights = slate && slate.answer.weights
  return (
    <Panel title={title}>
      <SettingControls name={title} {...{ setting, weights, typical }} onChange={onSetting} />
      {asked.failure && <Refused failure={asked.failure} retry={asked.refresh} />}
      {slate && <Shown {...props} slate={slate} />}
      {!slate && !asked.failure && <Loading what="the slate" />}
    </Panel>
  )
}

const titleOf = (name: string): string => `Slate ${name}`.trim()

/** A slate of somebody else is shown only while the right one is on its way. */
export const slateOf = (asked: Asked<AskedSlate | null>, user: string): AskedSlate | null =>
  asked.value !== null && (asked.value.user === user || asked.isLoading) ? asked.value : null

function Shown({
  slate,
  name,
  ownPolicy,
  scale,
  other,
  pointed,
  onPoint,
}: SlatePanelProps & { readonly slate: AskedSlate }) {
  const { user, setting, answer } = slate
  const { weights } = answer
  const names = answer.items.map(({ item }) => item)
  const moves = useMoves(user, names)
  const marks = other
    ? names.map((item) => otherMark(item, other.items, other.name))
    : moves.map(moveMark)
  const isInstead = setting.kind !== 'own' && ownPolicy !== null && ownPolicy !== answer.policy
  return (
    <>
      <p class="why-source soft">
        Policy <code>{answer.policy}</code> of the arm <code>{answer.arm}</code>, model version{' '}
        {answer.modelVersion}.{!answer.complete && names.length > 0 && ' No more items were left.'}
        {isInstead && (
          <>
            {' '}
            The arm itself serves by <code>{ownPolicy}</code>, which takes no weights:{' '}
            <code>{answer.policy}</code> answers in its place.
          </>
        )}
      </p>
      {answer.empty && <Empty>{emptyWords[answer.empty]}</Empty>}
      {weights === null && (
        <p class="why-source">
          This policy does not score by a weighted sum of the three terms, so there are no bars.
        </p>
      )}
      <SlateList
        items={answer.items}
        label={titleOf(name)}
        {...{ weights, scale, marks, pointed, onPoint }}
      />
    </>
  )
}

const emptyWords = {
  'no-items': 'The catalogue is empty. Put items into it, and the slate is here.',
  'nothing-matches': 'No item matches.',
  'all-excluded': 'All items are excluded.',
} as const
