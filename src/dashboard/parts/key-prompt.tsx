// Asks for a key where the service wants one.

import { useState } from 'preact/hooks'

import { keyInUse, setKey } from '../api/key.ts'
import { Form } from './form.tsx'
import { TextBox } from './inputs.tsx'

export function KeyPrompt() {
  const [key, setTyped] = useState('')
  const isWrong = keyInUse() !== ''
  return (
    <Form class="panel prompt" onSubmit={() => setKey(key.trim())}>
      <h1>A key, please</h1>
      <p>
        This service has keys. Paste one of scope <code>admin</code>; <code>ren key create</code>{' '}
        makes one. It stays in this tab and goes with it.
      </p>
      {isWrong && (
        <p role="alert" class="error">
          The service does not take the key that was given.
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
