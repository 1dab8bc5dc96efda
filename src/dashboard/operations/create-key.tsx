// The form that creates an API key.

import { useState } from 'preact/hooks'

import type { KeyEntry } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { takeFirstKey } from '../api/key.ts'
import { useAction } from '../api/use-action.ts'
import { Form } from '../parts/form.tsx'
import { Check, TextBox } from '../parts/inputs.tsx'
import { Refused } from '../parts/states.tsx'

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

export function CreateKey({ isFirst, onCreate }: CreateKeyProps) {
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
