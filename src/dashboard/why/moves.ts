// The changes of rank between two slates.

export type Move =
  | { readonly kind: 'new' }
  | { readonly kind: 'stays' }
  /** Number of ranks. */
  | { readonly kind: 'up' | 'down'; readonly by: number }

/** One for each item of `after`, in order. */
export function movesBetween(before: readonly string[], after: readonly string[]): readonly Move[] {
  const placeOf = new Map(before.map((item, place) => [item, place]))
  return after.map((item, place) => {
    const old = placeOf.get(item)
    if (old === undefined) return { kind: 'new' }
    if (old === place) return { kind: 'stays' }
    return old > place ? { kind: 'up', by: old - place } : { kind: 'down', by: place - old }
  })
}
