// A progress bar; indeterminate if the progress is unknown.

import { percent } from '../format.ts'

interface ProgressProps {
  readonly label: string
  /** From 0 to 1; null if unknown. */
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
