// Narrows a list to names with a certain beginning.

import { useId } from 'preact/hooks'

interface PrefixFieldProps {
  readonly prefix: string
  setPrefix(prefix: string): void
}

export function PrefixField({ prefix, setPrefix }: PrefixFieldProps) {
  const id = useId()
  return (
    <div class="row narrow">
      <label for={id}>Name begins with</label>
      <input
        id={id}
        type="search"
        autocomplete="off"
        spellcheck={false}
        value={prefix}
        onInput={({ currentTarget }) => setPrefix(currentTarget.value)}
      />
    </div>
  )
}
