// Prompts for a key if the service requires one.

import { useEffect, useState } from 'preact/hooks'

import { api } from '../api/client.ts'
import { keyInUse, setKey } from '../api/key.ts'
import { useAction } from '../api/use-action.ts'
import { Form } from './form.tsx'
import { TextBox } from './inputs.tsx'

const refusals: Readonly<Record<string, string>> = {
  'key-refused': 'The service refuses this key.',
  'scope-missing': 'This key does not have the scope admin.',
}

export function KeyPrompt() {
  const [key, setTyped] = useState('')
  const { failure, act } = useAction()
  // The stream only reports that it was refused; a request reports why.
  const tryKey = (): void => void act(api.status())
  useEffect(() => {
    if (keyInUse() !== '') tryKey()
  }, [])
  function use(): void {
    setKey(key.trim())
    tryKey()
  }
  return (
    <Form class="panel prompt" onSubmit={use}>
      <h1>API key required</h1>
      <p>
        Enter a key with the scope <code>admin</code>. <code>ren key create</code> creates one. This
        tab stores the key until you close it.
      </p>
      {failure && (
        <p role="alert" class="error">
          {refusals[failure.code] ?? failure.message}
        </p>
      )}
      <label class="stack">
        Key
        <TextBox type="password" placeholder="ren_…" value={key} onChange={setTyped} />
      </label>
      <button type="submit" disabled={key.trim() === ''}>
        Use this key
      </button>
    </Form>
  )
}
