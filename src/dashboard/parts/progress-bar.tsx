// How far something is; where nobody knows, that it goes on.

import { percent } from '../format.ts'

interface ProgressProps {
  readonly label: string
  /** From 0 to 1; null where nobody knows. */
  readonly share: number | null
}

export function ProgressBar({ label, share }: ProgressProps) {
  return (
    <progress
      aria-label={label}
      max={1}
      {...(share !== null && { value: share })}
      title={share === null ? label : percent(share)}
    />
  )
}
