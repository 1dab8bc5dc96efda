// Filters a list by the beginning of names.

import { TextBox } from '../parts/inputs.tsx'

interface PrefixFieldProps {
  readonly prefix: string
  setPrefix(prefix: string): void
}

export function PrefixField({ prefix, setPrefix }: PrefixFieldProps) {
  return (
    <label class="row narrow">
      Name begins with
      <TextBox type="search" value={prefix} onChange={setPrefix} />
    </label>
  )
}
