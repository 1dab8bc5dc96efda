// One setting and its slate.

import type { FetchState } from '../api/use-fetch.ts'
import { Empty, Loading, Panel, Refused } from '../parts/panel.tsx'
import { useMoves } from './moves.ts'
import { SettingControls, type Setting } from './setting-controls.tsx'
import { moveMark, otherMark, SlateList, type SlateListProps } from './slate-list.tsx'
import type { Weights } from './terms.ts'
import type { FetchedSlate } from './use-slate.ts'

interface SlatePanelProps extends Pick<SlateListProps, 'scale' | 'pointed' | 'onPoint'> {
  /** A or B in a comparison, otherwise empty. */
  readonly name: string
  readonly user: string
  readonly setting: Setting
  onSetting(setting: Setting): void
  readonly fetched: FetchState<FetchedSlate | null>
  readonly typical: Weights | null
  /** The policy that serves this user, if known. */
  readonly ownPolicy: string | null
  /** The other slate. */
  readonly other: { readonly name: string; readonly items: readonly string[] } | null
}

export function SlatePanel(props: SlatePanelProps) {
  const { name, user, setting, onSetting, fetched, typical } = props
  const title = titleOf(name)
  const slate = slateOf(fetched, user)
  const weights = slate && slate.response.weights
  return (
    <Panel title={title}>
      <SettingControls name={title} {...{ setting, weights, typical }} onChange={onSetting} />
      {fetched.failure && <Refused failure={fetched.failure} retry={fetched.refresh} />}
      {slate && <Shown {...props} slate={slate} />}
      {!slate && !fetched.failure && <Loading what="the slate" />}
    </Panel>
  )
}

const titleOf = (name: string): string => `Slate ${name}`.trim()

/** The slate of this user; another user's slate is not used. */
export const slateOf = (
  fetched: FetchState<FetchedSlate | null>,
  user: string,
): FetchedSlate | null =>
  fetched.value !== null && (fetched.value.user === user || fetched.isLoading)
    ? fetched.value
    : null

type ShownProps = SlatePanelProps & { readonly slate: FetchedSlate }

function Shown({ slate, name, ownPolicy, scale, other, pointed, onPoint }: ShownProps) {
  const { user, setting, response } = slate
  const { weights } = response
  const names = response.items.map(({ item }) => item)
  const moves = useMoves(user, names).map(moveMark)
  const marks = other ? names.map((item) => otherMark(item, other.items, other.name)) : moves
  return (
    <>
      <Source {...{ setting, response, ownPolicy }} />
      {response.empty && <Empty>{emptyTexts[response.empty]}</Empty>}
      {weights === null && (
        <p class="why-source">
          The score of this policy is not a weighted sum of the three terms, so there are no bars.
        </p>
      )}
      <SlateList
        items={response.items}
        label={titleOf(name)}
        {...{ weights, scale, marks, pointed, onPoint }}
      />
    </>
  )
}

type SourceProps = Pick<FetchedSlate, 'setting' | 'response'> & Pick<SlatePanelProps, 'ownPolicy'>

/** The policy, variant and model of a slate, and whether another policy replaces the variant's own. */
function Source({ setting, response, ownPolicy }: SourceProps) {
  const { policy, variant, modelVersion, complete, items } = response
  const isInstead = setting !== 'own' && ownPolicy !== null && ownPolicy !== policy
  return (
    <p class="why-source soft">
      Policy <code>{policy}</code> of the variant <code>{variant}</code>, model version{' '}
      {modelVersion}.{!complete && items.length > 0 && ' No more items were available.'}
      {isInstead && (
        <>
          {' '}
          The variant serves with <code>{ownPolicy}</code>, which has no weights:{' '}
          <code>{policy}</code> is used instead.
        </>
      )}
    </p>
  )
}

const emptyTexts = {
  'no-items': 'The catalog is empty. Add items to see a slate.',
  'nothing-matches': 'No item matches.',
  'all-excluded': 'All items are excluded.',
} as const
