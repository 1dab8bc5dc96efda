// A long list page by page: forward by the cursor that each page ends with, and back by those that
// were used.

import { useEffect, useState } from 'preact/hooks'

import { useAsked } from '../api/use-asked.ts'
import type { Asked } from '../api/use-asked.ts'

interface AnyPage<Cursor> {
  readonly next: Cursor | null
}

export interface Pages<P> {
  readonly asked: Asked<P>
  /** From 1. */
  readonly number: number
  /** Null where there is none. */
  readonly next: (() => void) | null
  readonly previous: (() => void) | null
}

/** `key` says what list it is: another begins at its first page. */
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
  const asked = useAsked((signal) => question(used.at(-1), signal), [key, used.length])
  const next = asked.value?.next ?? null
  // Twice in haste would be the same page twice.
  const goTo = (to: readonly Cursor[]): void => {
    if (!asked.isLoading) setPlace({ of: key, cursors: to })
  }
  return {
    asked,
    number: used.length + 1,
    next: next === null ? null : () => goTo([...used, next]),
    previous: used.length === 0 ? null : () => goTo(used.slice(0, -1)),
  }
}
