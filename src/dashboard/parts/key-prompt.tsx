// Asks for a key where the service wants one.

import { useId, useState } from 'preact/hooks'

import { keyInUse, setKey } from '../api/key.ts'

export function KeyPrompt() {
  const [key, setTyped] = useState('')
  const field = useId()
  const isWrong = keyInUse() !== ''
  return (
    <form
      class="panel prompt"
      onSubmit={(event) => {
        event.preventDefault()
        setKey(key.trim())
      }}
    >
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
      <label for={field}>Key</label>
      <input
        id={field}
        type="password"
        autocomplete="off"
        placeholder="ren_…"
        value={key}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <button type="submit" disabled={key.trim() === ''}>
        Use this key
      </button>
    </form>
  )
}
