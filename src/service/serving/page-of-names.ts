// One page of names in their order, of any number in no order, without sorting them all.

export interface NamePage {
  readonly prefix?: string
  /** The last name of the page before. */
  readonly after?: string
  readonly limit: number
}

export interface PageOfNames {
  readonly names: readonly string[]
  /** Whether others follow. */
  readonly more: boolean
}

export function pageOfNames(
  names: Iterable<string>,
  { prefix = '', after, limit }: NamePage,
): PageOfNames {
  const page: string[] = []
  for (const name of names) {
    if (!name.startsWith(prefix) || (after !== undefined && name <= after)) continue
    if (page.length > limit && name > page[limit]!) continue
    page.splice(placeOf(page, name), 0, name)
    // One more than asked for, which tells that others follow.
    if (page.length > limit + 1) page.pop()
  }
  return { names: page.slice(0, limit), more: page.length > limit }
}

/** Where a name goes in a sorted list. */
export function placeOf(sorted: readonly string[], name: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < name) low = middle + 1
    else high = middle
  }
  return low
}
