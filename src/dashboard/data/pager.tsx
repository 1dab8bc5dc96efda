// Navigation to the previous and next pages.

import type { Pages } from './use-pages.ts'

interface PagerProps extends Pick<Pages<unknown>, 'number' | 'next' | 'previous'> {
  /** The name of the list, for screen readers. */
  readonly what: string
}

export function Pager({ what, number, next, previous }: PagerProps) {
  if (number === 1 && next === null && previous === null) return null
  return (
    <nav class="row pager" aria-label={`Pages of ${what}`}>
      <button type="button" disabled={!previous} onClick={() => previous?.()}>
        Previous
      </button>
      <span class="soft" aria-live="polite">
        Page {number}
      </span>
      <button type="button" disabled={!next} onClick={() => next?.()}>
        Next
      </button>
    </nav>
  )
}
