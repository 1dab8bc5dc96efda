// Placeholders for data that is loading, empty or refused.

import type { ComponentChildren } from 'preact'

import type { Failure } from '../api/request.ts'
import type { FetchState } from '../api/use-fetch.ts'

export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="state" role="status">
      <span class="spinner" aria-hidden="true" /> Loading {what} …
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
          Retry
        </button>
      )}
    </div>
  )
}

/** The value or a placeholder. An older value remains if a newer request fails. */
export function Answer<T>({
  fetched: { value, failure, refresh },
  what,
  children,
}: {
  readonly fetched: FetchState<T>
  /** The name of the data, such as `items`. */
  readonly what: string
  readonly children: (value: T) => ComponentChildren
}) {
  if (value !== null) return <>{children(value)}</>
  if (failure) return <Refused failure={failure} retry={refresh} />
  return <Loading what={what} />
}
