// API keys: list, create and revoke.

import { useId, useRef, useState } from 'preact/hooks'

import type { KeyEntry } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { keyInUse, takeFirstKey } from '../api/request.ts'
import { useAction, useFetch } from '../api/use-fetch.ts'
import { dateAndTime } from '../format.ts'
import { Check, ConfirmButton, Form, TextBox } from '../parts/inputs.tsx'
import { Answer, Panel, Refused } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'

const columns = ['Name', 'Scopes', 'Created', 'State', 'Action']

export function KeysPanel() {
  const fetched = useFetch(api.keys, [])
  const [created, setCreated] = useState<string | null>(null)
  const isFirst = fetched.value?.keys.length === 0
  const take = (key: string): void => {
    setCreated(key)
    fetched.refresh()
  }
  return (
    <Panel title="Keys" class="wide">
      <Answer {...{ fetched }} what="keys">
        {({ keys }) => (
          <div class="keys">
            {keys.length === 0 ? (
              <p class="soft">
                There are no keys, so all local requests are allowed. Once you create a key, every
                request needs one; this tab then uses the new key.
              </p>
            ) : (
              <Keys {...{ keys }} onRevoked={fetched.refresh} />
            )}
            {created !== null && <CreatedKey secret={created} onSeen={() => setCreated(null)} />}
            <CreateKey {...{ isFirst }} onCreate={take} />
          </div>
        )}
      </Answer>
    </Panel>
  )
}

function Keys({ keys, onRevoked }: { readonly keys: readonly KeyEntry[]; onRevoked(): void }) {
  return (
    <Table
      label="Keys"
      {...{ columns }}
      rows={keys.map((entry) => ({
        key: entry.id,
        cells: [
          entry.name,
          entry.scopes.join(', '),
          dateAndTime(entry.created),
          entry.revoked === null ? 'in use' : `revoked ${dateAndTime(entry.revoked)}`,
          entry.revoked === null && <Revoke {...{ entry, onRevoked }} />,
        ],
      }))}
    />
  )
}

function Revoke({
  entry: { id, name },
  onRevoked,
}: {
  readonly entry: KeyEntry
  onRevoked(): void
}) {
  const isOwn = keyInUse().startsWith(`ren_${id}_`)
  return (
    <ConfirmButton
      label="Revoke"
      about={name}
      question={`Revoke the key ${name}?`}
      onConfirm={() => api.revokeKey(id).then(onRevoked)}
    >
      The service refuses it within one second. You cannot undo this.
      {isOwn && ' This tab uses it and will prompt for another key.'}
    </ConfirmButton>
  )
}

type Scope = KeyEntry['scopes'][number]

const scopes: readonly (readonly [scope: Scope, may: string])[] = [
  ['recommend', 'request slates'],
  ['events', 'send events'],
  ['admin', 'do everything'],
]

const usual: readonly Scope[] = ['recommend', 'events']

interface CreateKeyProps {
  /** The first key needs the scope admin, because creating more keys requires it. */
  readonly isFirst: boolean
  onCreate(key: string): void
}

function CreateKey({ isFirst, onCreate }: CreateKeyProps) {
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly Scope[]>(isFirst ? ['admin'] : usual)
  const { failure, act } = useAction()
  const create = (): void => {
    const creating = api.createKey({ name: name.trim(), scopes: [...chosen] })
    // Once a key exists, every request needs one, including those of this page.
    if (isFirst) takeFirstKey(creating)
    void act(creating, ({ key }) => {
      setName('')
      setChosen(usual)
      onCreate(key)
    })
  }
  const choose = (scope: Scope, isOn: boolean): void =>
    setChosen((before) => [...before.filter((other) => other !== scope), ...(isOn ? [scope] : [])])
  return (
    <Form class="create-key" onSubmit={create}>
      <label class="row">
        Name of a new key
        <TextBox value={name} placeholder="shop" onChange={setName} />
      </label>
      <fieldset class="choices">
        <legend class="unseen">Scopes</legend>
        {scopes.map(([scope, may]) => (
          <Check
            key={scope}
            label={
              <>
                {scope} <span class="soft">{may}</span>
              </>
            }
            checked={chosen.includes(scope)}
            onChange={(isOn) => choose(scope, isOn)}
          />
        ))}
      </fieldset>
      <button type="submit" disabled={name.trim() === '' || chosen.length === 0}>
        Create key
      </button>
      {failure && <Refused failure={failure} />}
    </Form>
  )
}

function CreatedKey({ secret, onSeen }: { readonly secret: string; onSeen(): void }) {
  const field = useId()
  const input = useRef<HTMLInputElement>(null)
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    // Browsers allow clipboard access only in secure contexts; otherwise the user copies the selection.
    input.current?.select()
    await navigator.clipboard?.writeText(secret).then(
      () => setCopied(true),
      () => {},
    )
  }
  return (
    <div class="created-key">
      <label for={field}>
        <strong>The new key.</strong> Copy it now: it is not shown again.
      </label>
      <div class="row">
        <input id={field} ref={input} class="number" readOnly value={secret} />
        <button type="button" class="primary" onClick={copy}>
          Copy
        </button>
        <button type="button" onClick={onSeen}>
          Done
        </button>
        <span role="status" class="good">
          {isCopied && 'Copied'}
        </span>
      </div>
    </div>
  )
}
