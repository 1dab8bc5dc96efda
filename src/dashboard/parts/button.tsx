// Buttons.

import type { ComponentChildren } from 'preact'

interface ButtonProps {
  readonly label: ComponentChildren
  /** The subject of the action, for screen readers. */
  readonly about?: string
  /** Defaults to a button that does not submit a form. */
  readonly type?: 'submit'
  readonly class?: string
  readonly title?: string
  readonly disabled?: boolean
  readonly 'aria-label'?: string
  onClick?(): unknown
}

export function Button({ label, about, ...rest }: ButtonProps) {
  return (
    <button type="button" {...rest}>
      {label}
      {about !== undefined && <span class="unseen"> {about}</span>}
    </button>
  )
}
