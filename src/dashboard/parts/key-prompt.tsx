// Asks for a key where the service wants one.

import { useEffect, useState } from 'preact/hooks'

import { api } from '../api/client.ts'
import { keyInUse, setKey } from '../api/key.ts'
import { useAction } from '../api/use-action.ts'
import { Form } from './form.tsx'
import { TextBox } from './inputs.tsx'

const refusals: Readonly<Record<string, string>> = {
  'key-refused': 'The service does not take the key that was given.',
  'scope-missing': 'The service knows this key, but it has no scope admin.',
}

export function KeyPrompt() {
  const [key, setTyped] = useState('')
  const { failure, act } = useAction()
  // The stream says only that it was refused; an answer says why.
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
      <h1>A key, please</h1>
      <p>
        This service has keys. Paste one of scope <code>admin</code>; <code>ren key create</code>{' '}
        makes one. It stays in this tab and goes with it.
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
