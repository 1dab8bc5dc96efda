// API keys: list, create and revoke.

import { useState } from 'preact/hooks'

import type { KeyEntry } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { keyInUse } from '../api/key.ts'
import { useFetch } from '../api/use-fetch.ts'
import { dateAndTime } from '../format.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Panel } from '../parts/panel.tsx'
import { Answer } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { CreatedKey } from './created-key.tsx'
import { CreateKey } from './create-key.tsx'

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
