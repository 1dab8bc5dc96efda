// Keys: who may ask, making one, and taking one back.

import { useState } from 'preact/hooks'

import type { KeyEntry } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { keyInUse } from '../api/key.ts'
import { useAsked } from '../api/use-asked.ts'
import { dateAndTime } from '../format.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Panel } from '../parts/panel.tsx'
import { Answer } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { MadeKey } from './made-key.tsx'
import { MakeKey } from './make-key.tsx'

const columns = ['Name', 'Scopes', 'Made', 'State', 'Action']

export function KeysPanel() {
  const asked = useAsked(api.keys, [])
  const [made, setMade] = useState<string | null>(null)
  const isFirst = asked.value?.keys.length === 0
  const take = (key: string): void => {
    setMade(key)
    asked.refresh()
  }
  return (
    <Panel title="Keys" class="wide">
      <Answer {...{ asked }} what="keys">
        {({ keys }) => (
          <div class="keys">
            {keys.length === 0 ? (
              <p class="soft">
                There is no key, so whoever reaches this machine may ask. From the first one on
                every request needs a key; this tab then uses the new one.
              </p>
            ) : (
              <Keys {...{ keys }} onRevoked={asked.refresh} />
            )}
            {made !== null && <MadeKey secret={made} onSeen={() => setMade(null)} />}
            <MakeKey {...{ isFirst }} onMade={take} />
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
      Whoever uses it is refused within a second, for good.
      {isOwn && ' It is the key of this tab: you will be asked for another.'}
    </ConfirmButton>
  )
}
