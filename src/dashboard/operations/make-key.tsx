// A form that makes a key.

import { useId, useState } from 'preact/hooks'

import type { KeyEntry } from '../../service/index.ts'
import type { Failure } from '../api/ask.ts'
import { api } from '../api/client.ts'
import { Refused } from '../parts/states.tsx'

type Scope = KeyEntry['scopes'][number]

const scopes: readonly (readonly [scope: Scope, may: string])[] = [
  ['recommend', 'ask for slates'],
  ['events', 'tell what users did'],
  ['admin', 'do everything'],
]

interface MakeKeyProps {
  /** The first has to be of scope admin, or nobody could make another. */
  readonly isFirst: boolean
  onMade(key: string): void
}

export function MakeKey({ isFirst, onMade }: MakeKeyProps) {
  const field = useId()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly Scope[]>(
    isFirst ? ['admin'] : ['recommend', 'events'],
  )
  const [failure, setFailure] = useState<Failure | null>(null)
  const make = async (event: Event): Promise<void> => {
    event.preventDefault()
    setFailure(null)
    await api.makeKey({ name: name.trim(), scopes: [...chosen] }).then(({ key }) => {
      setName('')
      onMade(key)
    }, setFailure)
  }
  const choose = (scope: Scope, isOn: boolean): void =>
    setChosen((before) => [...before.filter((other) => other !== scope), ...(isOn ? [scope] : [])])
  return (
    <form class="make-key" onSubmit={make}>
      <label for={field}>Name of a new key</label>
      <input
        id={field}
        value={name}
        placeholder="shop"
        autocomplete="off"
        onInput={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Scopes {...{ chosen, choose }} />
      <button type="submit" disabled={name.trim() === '' || chosen.length === 0}>
        Make key
      </button>
      {failure && <Refused failure={failure} />}
    </form>
  )
}

function Scopes({
  chosen,
  choose,
}: {
  readonly chosen: readonly Scope[]
  choose(scope: Scope, isOn: boolean): void
}) {
  return (
    <fieldset>
      <legend class="unseen">Scopes</legend>
      {scopes.map(([scope, may]) => (
        <label key={scope}>
          <input
            type="checkbox"
            checked={chosen.includes(scope)}
            onChange={({ currentTarget }) => choose(scope, currentTarget.checked)}
          />
          {scope} <span class="soft">may {may}</span>
        </label>
      ))}
    </fieldset>
  )
}
