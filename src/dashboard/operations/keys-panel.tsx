// API keys: list, create and revoke.

import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'

import type { KeyEntry } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { keyInUse, adoptFirstKey } from '../api/request.ts'
import { useAction, useFetch } from '../api/use-fetch.ts'
import { dateAndTime } from '../format.ts'
import { Checks, ConfirmButton, Form, TextBox } from '../parts/inputs.tsx'
import { Button, Loaded, Panel, Refused } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'

export function KeysPanel() {
  const fetched = useFetch(api.keys, [])
  const [created, setCreated] = useState<string | null>(null)
  const isFirst = fetched.value?.keys.length === 0
  const showKey = (key: string): void => {
    setCreated(key)
    fetched.refresh()
  }
  return (
    <Panel title="Keys" class="wide">
      <Loaded {...{ fetched }} what="keys">
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
            <CreateKey {...{ isFirst }} onCreate={showKey} />
          </div>
        )}
      </Loaded>
    </Panel>
  )
}

const Keys = ({ keys, onRevoked }: { readonly keys: readonly KeyEntry[]; onRevoked(): void }) => (
  <Table
    label="Keys"
    rows={keys}
    rowKey={({ id }) => id}
    columns={{
      Name: ({ name }) => name,
      Scopes: (entry) => entry.scopes.join(', '),
      Created: ({ created }) => dateAndTime(created),
      State: ({ revoked }) => (revoked === null ? 'in use' : `revoked ${dateAndTime(revoked)}`),
      Action: (entry) => entry.revoked === null && <Revoke {...{ entry, onRevoked }} />,
    }}
  />
)

function Revoke({ entry, onRevoked }: { readonly entry: KeyEntry; onRevoked(): void }) {
  const { id, name } = entry
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

const scopeLabel = (scope: Scope, may: string) => (
  <>
    {scope} <span class="soft">{may}</span>
  </>
)

const scopes: Readonly<Record<Scope, ComponentChildren>> = {
  recommend: scopeLabel('recommend', 'request slates'),
  events: scopeLabel('events', 'send events'),
  admin: scopeLabel('admin', 'do everything'),
}

const defaultScopes: readonly Scope[] = ['recommend', 'events']

interface CreateKeyProps {
  /** The first key needs the scope admin, because creating more keys requires it. */
  readonly isFirst: boolean
  onCreate(key: string): void
}

function CreateKey({ isFirst, onCreate }: CreateKeyProps) {
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly Scope[]>(isFirst ? ['admin'] : defaultScopes)
  const { failure, act } = useAction()
  const create = (): void => {
    const creating = api.createKey({ name: name.trim(), scopes: [...chosen] })
    // Once a key exists, every request needs one, including those of this page.
    if (isFirst) adoptFirstKey(creating)
    void act(creating, ({ key }) => {
      setName('')
      setChosen(defaultScopes)
      onCreate(key)
    })
  }
  return (
    <Form class="create-key" onSubmit={create}>
      <label class="row">
        Name of a new key
        <TextBox value={name} placeholder="shop" onChange={setName} />
      </label>
      <fieldset class="choices">
        <legend class="unseen">Scopes</legend>
        <Checks options={scopes} chosen={chosen} onChange={setChosen} />
      </fieldset>
      <Button
        type="submit"
        label="Create key"
        disabled={name.trim() === '' || chosen.length === 0}
      />
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
        <Button class="primary" label="Copy" onClick={copy} />
        <Button label="Done" onClick={onSeen} />
        <span role="status" class="good">
          {isCopied && 'Copied'}
        </span>
      </div>
    </div>
  )
}
