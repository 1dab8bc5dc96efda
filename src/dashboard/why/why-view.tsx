// The Why view: a user's slate at a setting, with the explanation of each item.
// All of it is in the URL, so that a link shows the same.

import { useState } from 'preact/hooks'

import { count, figure } from '../format.ts'
import { Check } from '../parts/inputs.tsx'
import { HistoryTable } from '../parts/items.tsx'
import { Button, Empty, Loaded, Panel } from '../parts/panel.tsx'
import { useFoundUser, UserPicker, type FoundUser } from '../parts/user-picker.tsx'
import { replaceRoute, type ViewProps } from '../route.ts'
import { readSetting, writeSetting, type Setting } from './setting-controls.tsx'
import { slateOf, SlatePanel } from './slate-panel.tsx'
import { partsOf, scaleOf, segmentsOf, termNames } from './terms.ts'
import type { TermName, Weights } from './terms.ts'
import { useSlates } from './use-slate.ts'
import './why.css'

const defaultSetting: Setting = { weight: 0.5 }
/** The second setting at the start of a comparison: relevance alone. */
const greedy: Setting = { weight: 0 }

export function WhyView({ params }: ViewProps) {
  const found = useFoundUser(params['user'])
  return (
    <Loaded fetched={found} what="users">
      {(value) => <Why found={value} refresh={found.refresh} params={params} />}
    </Loaded>
  )
}

type WhyProps = ViewProps & Readonly<{ found: FoundUser; refresh(): void }>

function Why({ found, refresh, params }: WhyProps) {
  const { user } = found
  const settings = [readSetting(params, '') ?? defaultSetting, readSetting(params, '2')] as const
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
          <Button
            label="Refresh"
            title="Request the slates again with the current model"
            onClick={refresh}
          />
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
  const [fetchedA, fetchedB] = useSlates(found, [first, second])
  const [a, b] = [readSlate(slateOf(fetchedA!, user)), readSlate(slateOf(fetchedB!, user))]
  const scale = scaleOf([...a.bars, ...b.bars])
  const shared = { user, ...useReferences(found), scale, pointed, onPoint }
  const [nameA, nameB] = second ? ['A', 'B'] : ['', '']
  return (
    <>
      <div class={`why-slates ${second ? 'two' : ''}`}>
        <SlatePanel
          {...shared}
          name={nameA}
          setting={first}
          onSetting={(setting) => onChange(setting, second)}
          fetched={fetchedA!}
          other={second && { name: nameB, items: b.items }}
        />
        {second && (
          <SlatePanel
            {...shared}
            name={nameB}
            setting={second}
            onSetting={(setting) => onChange(first, setting)}
            fetched={fetchedB!}
            other={{ name: nameA, items: a.items }}
          />
        )}
      </div>
      <div class="side">
        <TermDescriptions
          slates={[{ name: nameA, ...a }, ...(second ? [{ name: nameB, ...b }] : [])]}
        />
        <History found={found} />
      </div>
    </>
  )
}

/** The policy that serves the user, and the weights at which bonuses vary as much as relevance. */
function useReferences(found: FoundUser) {
  const own = useSlates(found, ['own'], 1)[0]!.value
  // REN's typical bonus is a ninth of a standard deviation of relevance at a weight of 0.5.
  const even = useSlates(found, [{ weight: 0.9 }])[0]!.value
  return { ownPolicy: own?.response.policy ?? null, typical: even && even.response.weights }
}

/** The parts of a slate that the other needs. */
function readSlate(slate: ReturnType<typeof slateOf>) {
  const items = slate?.response.items ?? []
  const weights = slate && slate.response.weights
  return {
    items: items.map(({ item }) => item),
    weights,
    bars: weights ? items.map((item) => segmentsOf(partsOf(item, weights))) : [],
  }
}

const History = ({ found: { user, info } }: { readonly found: FoundUser }) => (
  <Panel title="History" note={describeUser(info)}>
    {info === null ? (
      <Empty>
        {user} is a new user without a history. Relevance is the model’s estimate for a new user,
        and diversity is at its maximum.
      </Empty>
    ) : (
      <div class="why-history">
        <HistoryTable {...info} />
      </div>
    )}
  </Panel>
)

const describeUser = (info: FoundUser['info']): string =>
  info === null
    ? 'a new user'
    : `${count(info.history.length)} shown here, ${count(info.slates)} slates served`

const termTexts = {
  relevance:
    'how well the item suits this user now: model, transition memory, popularity and click rate together.',
  experience:
    'what rewards have taught about the item, for all users and for this user, beyond relevance.',
  diversity:
    'how uncertain this user’s taste is in the direction of the item; falls as they choose or reject similar items.',
  uncertainty:
    'how little is known about the item for all users; 1 for a new item, and falls with every impression (by default, also with every interaction).',
} as const

interface TermDescriptionsProps {
  /** The weights and the bars of each slate, by its name. */
  readonly slates: readonly (ReturnType<typeof readSlate> & { readonly name: string })[]
}

function TermDescriptions({ slates }: TermDescriptionsProps) {
  const hasExperience = slates.some(({ bars }) =>
    bars.flat().some(({ term }) => term === 'experience'),
  )
  return (
    <Panel title="Terms of the score">
      <dl class="why-words">
        {termNames
          .filter((term) => term !== 'experience' || hasExperience)
          .map((term) => (
            <div key={term}>
              <dt>
                <i class={term} aria-hidden="true" />
                {term}
                <span class="soft">
                  {slates.map(({ name, weights }) => weightText(name, weights, term)).join(',')}
                </span>
              </dt>
              <dd class="soft">{termTexts[term]}</dd>
            </div>
          ))}
      </dl>
      <p class="soft why-note">
        Score = relevance {hasExperience && '+ experience '}+ λd · diversity + λu · uncertainty, all
        on one scale. The vertical mark is the score; negative terms are to the left of 0.
      </p>
    </Panel>
  )
}

const weightText = (name: string, weights: Weights | null, term: TermName): string =>
  weights === null || term === 'experience'
    ? ''
    : ` × ${figure(weights[term])}${name === '' ? '' : ` in ${name}`}`
