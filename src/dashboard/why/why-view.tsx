// The Why view: a user's slate at a setting, with the explanation of each item.
// All of it is in the URL, so that a link shows the same.

import { useState } from 'preact/hooks'

import { Check } from '../parts/inputs.tsx'
import { Panel } from '../parts/panel.tsx'
import { Answer } from '../parts/states.tsx'
import { replaceRoute } from '../route.ts'
import type { ViewProps } from '../views.ts'
import { useFoundUser } from '../parts/find-user.ts'
import type { FoundUser } from '../parts/find-user.ts'
import { History } from './history.tsx'
import { readSetting, writeSetting } from './setting.ts'
import type { Setting } from './setting.ts'
import { SlatePanel, slateOf } from './slate-panel.tsx'
import { TermWords } from './term-words.tsx'
import { partsOf, scaleOf, segmentsOf } from './terms.ts'
import { Ties } from './ties.tsx'
import { UserPicker } from '../parts/user-picker.tsx'
import { useSlates } from './use-slate.ts'
import './why.css'

const usual: Setting = { kind: 'one', weight: 0.3 }
/** The second setting at the start of a comparison: relevance alone. */
const greedy: Setting = { kind: 'one', weight: 0 }

export function WhyView({ params }: ViewProps) {
  const found = useFoundUser(params['user'])
  return (
    <Answer fetched={found} what="users">
      {(value) => <Why found={value} refresh={found.refresh} params={params} />}
    </Answer>
  )
}

interface WhyProps extends ViewProps {
  readonly found: FoundUser
  refresh(): void
}

function Why({ found, refresh, params }: WhyProps) {
  const { user } = found
  const settings = [readSetting(params, '') ?? usual, readSetting(params, '2')] as const
  const [first, second] = settings
  const go = (to: string, one: Setting, two: Setting | null): void =>
    replaceRoute('why', { user: to, ...writeSetting(one, ''), ...writeSetting(two, '2') })
  return (
    <div class="why with-side">
      <Panel title="User" class="wide">
        <div class="row">
          <UserPicker user={user} onPick={(name) => go(name, first, second)} />
          <span class="soft">{found.info ? `variant ${found.info.variant}` : 'a new user'}</span>
          <Check
            label="Compare two settings"
            checked={second !== null}
            onChange={(isOn) => go(user, first, isOn ? greedy : null)}
          />
          <button
            type="button"
            title="Request the slates again with the current model"
            onClick={refresh}
          >
            Refresh
          </button>
        </div>
      </Panel>
      <Slates
        {...{ found, first, second }}
        onChange={(one, two) => go(params['user'] ?? user, one, two)}
      />
    </div>
  )
}

interface SlatesProps {
  readonly found: FoundUser
  readonly first: Setting
  readonly second: Setting | null
  onChange(first: Setting, second: Setting | null): void
}

function Slates({ found, first, second, onChange }: SlatesProps) {
  const { user } = found
  const [pointed, onPoint] = useState<string | null>(null)
  const [askedA, askedB] = useSlates(found, [first, second])
  const ownPolicy = useSlates(found, [ownSetting], 1)[0]!.value?.answer.policy ?? null
  const even = useSlates(found, [evenSetting])[0]!.value
  const typical = even && even.answer.weights
  const [a, b] = [readSlate(slateOf(askedA!, user)), readSlate(slateOf(askedB!, user))]
  const scale = scaleOf([...a.bars, ...b.bars])
  const shared = { user, ownPolicy, typical, scale, pointed, onPoint }
  const [nameA, nameB] = second ? ['A', 'B'] : ['', '']
  return (
    <>
      <div class={`why-slates ${second ? 'two' : ''}`}>
        <SlatePanel
          {...shared}
          name={nameA}
          setting={first}
          onSetting={(setting) => onChange(setting, second)}
          fetched={askedA!}
          other={second && { name: nameB, items: b.items }}
        />
        {second && <Ties left={a.items} right={b.items} pointed={pointed} />}
        {second && (
          <SlatePanel
            {...shared}
            name={nameB}
            setting={second}
            onSetting={(setting) => onChange(first, setting)}
            fetched={askedB!}
            other={{ name: nameA, items: a.items }}
          />
        )}
      </div>
      <div class="side">
        <TermWords slates={[{ name: nameA, ...a }, ...(second ? [{ name: nameB, ...b }] : [])]} />
        <History found={found} />
      </div>
    </>
  )
}

const ownSetting: Setting = { kind: 'own' }
const evenSetting: Setting = { kind: 'one', weight: 0.5 }

/** The parts of a slate that the other needs. */
function readSlate(slate: ReturnType<typeof slateOf>) {
  const items = slate?.answer.items ?? []
  const weights = slate && slate.answer.weights
  return {
    items: items.map(({ item }) => item),
    weights,
    bars: weights ? items.map((item) => segmentsOf(partsOf(item, weights))) : [],
  }
}
