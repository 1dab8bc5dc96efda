// Pages of a long list: forward with the cursor at the end of each page, and back with the cursors
// used before.

import { useEffect, useState } from 'preact/hooks'

import { useFetch } from '../api/use-fetch.ts'
import type { FetchState } from '../api/use-fetch.ts'

interface AnyPage<Cursor> {
  readonly next: Cursor | null
}

export interface Pages<P> {
  readonly fetched: FetchState<P>
  /** From 1. */
  readonly number: number
  /** Null if there is none. */
  readonly next: (() => void) | null
  readonly previous: (() => void) | null
}

/** `key` identifies the list; another list starts at its first page. */
export function usePages<Cursor, P extends AnyPage<Cursor>>(
  key: string,
  question: (cursor: Cursor | undefined, signal: AbortSignal) => Promise<P>,
): Pages<P> {
  const [{ of, cursors }, setPlace] = useState<{ of: string; cursors: readonly Cursor[] }>({
    of: key,
    cursors: [],
  })
  const used = of === key ? cursors : []
  useEffect(
    () => setPlace((before) => (before.of === key ? before : { of: key, cursors: [] })),
    [key],
  )
  const fetched = useFetch((signal) => question(used.at(-1), signal), [key, used.length])
  const next = fetched.value?.next ?? null
  // A second click would load the same page.
  const goTo = (to: readonly Cursor[]): void => {
    if (!fetched.isLoading) setPlace({ of: key, cursors: to })
  }
  return {
    fetched,
    number: used.length + 1,
    next: next === null ? null : () => goTo([...used, next]),
    previous: used.length === 0 ? null : () => goTo(used.slice(0, -1)),
  }
}
