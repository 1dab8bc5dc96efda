// How a slate differs from the one before the user began to change it. Dragging a slider produces many slates,
// and all of them are compared with the one before the drag.

import { useRef } from 'preact/hooks'

/** By how many ranks an item moved up; null if it is new. */
export type Move = number | null

/** One for each item of `after`, in order. */
export function movesBetween(before: readonly string[], after: readonly string[]): readonly Move[] {
  const placeOf = new Map(before.map((item, place) => [item, place]))
  return after.map((item, place) => {
    const old = placeOf.get(item)
    return old === undefined ? null : old - place
  })
}

/** Slates that follow each other within this time belong together. */
const oneGestureMs = 1200

interface Seen {
  readonly of: string
  readonly base: readonly string[]
  readonly items: readonly string[]
  readonly time: number
}

/** Slates `of` different users are not compared. */
export function useMoves(of: string, items: readonly string[]): readonly Move[] {
  const seen = useRef<Seen | null>(null)
  const last = seen.current
  if (last?.of !== of) seen.current = { of, base: items, items, time: 0 }
  else if (last.items.join('\n') !== items.join('\n')) {
    const now = performance.now()
    const base = now - last.time > oneGestureMs ? last.items : last.base
    seen.current = { of, base, items, time: now }
  }
  return movesBetween(seen.current!.base, items)
}
