// What stands where figures would, while they are on their way, where there are none, and where the
// service has refused them.

import type { ComponentChildren } from 'preact'

import type { Failure } from '../api/ask.ts'
import type { Asked } from '../api/use-asked.ts'

export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="state" role="status">
      <span class="spinner" aria-hidden="true" /> Reading {what} …
    </p>
  )
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="state">{children}</p>
}

export function Refused({ failure, retry }: { readonly failure: Failure; retry?: () => void }) {
  return (
    <div class="state error" role="alert">
      <p>
        {failure.message} <code>{failure.code}</code>
      </p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

/** The value, or what there is instead of one. An older value stays where a newer one failed. */
export function Answer<T>({
  asked: { value, failure, refresh },
  what,
  children,
}: {
  readonly asked: Asked<T>
  /** What is being read, such as `items`. */
  readonly what: string
  readonly children: (value: T) => ComponentChildren
}) {
  if (value !== null) return <>{children(value)}</>
  if (failure) return <Refused failure={failure} retry={refresh} />
  return <Loading what={what} />
}
