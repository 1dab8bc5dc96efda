// A new key with its secret, which is shown only once.

import { useId, useRef, useState } from 'preact/hooks'

export function CreatedKey({ secret, onSeen }: { readonly secret: string; onSeen(): void }) {
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
        <button type="button" class="primary" onClick={copy}>
          Copy
        </button>
        <button type="button" onClick={onSeen}>
          Done
        </button>
        <span role="status" class="good">
          {isCopied && 'Copied'}
        </span>
      </div>
    </div>
  )
}
