// A form that makes a key.

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
  ['recommend', 'ask for slates'],
  ['events', 'tell what users did'],
  ['admin', 'do everything'],
]

const usual: readonly Scope[] = ['recommend', 'events']

interface MakeKeyProps {
  /** The first has to be of scope admin, or nobody could make another. */
  readonly isFirst: boolean
  onMade(key: string): void
}

export function MakeKey({ isFirst, onMade }: MakeKeyProps) {
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly Scope[]>(isFirst ? ['admin'] : usual)
  const { failure, act } = useAction()
  const make = (): void => {
    const making = api.makeKey({ name: name.trim(), scopes: [...chosen] })
    // From the first key on everybody needs one, and so does this page.
    if (isFirst) takeFirstKey(making)
    void act(making, ({ key }) => {
      setName('')
      setChosen(usual)
      onMade(key)
    })
  }
  const choose = (scope: Scope, isOn: boolean): void =>
    setChosen((before) => [...before.filter((other) => other !== scope), ...(isOn ? [scope] : [])])
  return (
    <Form class="make-key" onSubmit={make}>
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
                {scope} <span class="soft">may {may}</span>
              </>
            }
            checked={chosen.includes(scope)}
            onChange={(isOn) => choose(scope, isOn)}
          />
        ))}
      </fieldset>
      <button type="submit" disabled={name.trim() === '' || chosen.length === 0}>
        Make key
      </button>
      {failure && <Refused failure={failure} />}
    </Form>
  )
}
