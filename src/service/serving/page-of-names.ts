// Sorted pages of unsorted names.

import type { ItemPage } from '../service.ts'

type NamePage = Omit<ItemPage, 'filter'>

interface PageOfNames {
  readonly names: readonly string[]
  /** Whether there is a next page. */
  readonly more: boolean
}

/**
 * One sorted page of unsorted names, without sorting them all. A pass over a million names takes 50
 * ms, and only pages of a person who looks at names need one.
 */
export function pageOfNames(
  names: Iterable<string>,
  { prefix = '', after, limit }: NamePage,
): PageOfNames {
  const page: string[] = []
  for (const name of names) {
    if (!name.startsWith(prefix) || (after !== undefined && name <= after)) continue
    if (page.length > limit && name > page[limit]!) continue
    page.splice(placeOf(page, name), 0, name)
    // One more than requested tells whether there is a next page.
    if (page.length > limit + 1) page.pop()
  }
  return { names: page.slice(0, limit), more: page.length > limit }
}

/** The index at which a name belongs in a sorted list. */
function placeOf(sorted: readonly string[], name: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < name) low = middle + 1
    else high = middle
  }
  return low
}
