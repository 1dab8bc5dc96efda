// The names of all users, page by page. They are sorted in the background from the first request for
// a page on, so that a service without such requests pays nothing.

// One page of sorted names out of many unsorted ones, without sorting them all.

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

// Sorted names in blocks: adding one of a million names moves few others, and a page costs what is on it.

interface SortedNames {
  /** Nothing where it is there. */
  add(name: string): void
  /** Nothing where it is not. */
  delete(name: string): void
  page(page: NamePage): PageOfNames
}

const longestBlock = 256

export function createSortedNames(): SortedNames {
  const blocks: string[][] = [[]]
  /** Of each block but the first. */
  const firsts: string[] = []

  /** The block that a name belongs into. */
  function blockOf(name: string): number {
    const at = placeOf(firsts, name)
    return firsts[at] === name ? at + 1 : at
  }

  function split(at: number): void {
    const rest = blocks[at]!.splice(longestBlock / 2)
    blocks.splice(at + 1, 0, rest)
    firsts.splice(at, 0, rest[0]!)
  }

  return {
    add(name) {
      const at = blockOf(name)
      const block = blocks[at]!
      const place = placeOf(block, name)
      if (block[place] === name) return
      block.splice(place, 0, name)
      if (block.length > longestBlock) split(at)
    },
    delete(name) {
      const block = blocks[blockOf(name)]!
      const place = placeOf(block, name)
      if (block[place] === name) block.splice(place, 1)
    },
    page({ prefix = '', after = '', limit }) {
      const names: string[] = []
      const start = after > prefix ? after : prefix
      let at = blockOf(start)
      let place = placeOf(blocks[at]!, start)
      while (at < blocks.length && names.length <= limit) {
        const name = blocks[at]![place++]
        if (name === undefined) {
          at += 1
          place = 0
        } else if (!name.startsWith(prefix)) break
        else if (name !== after) names.push(name)
      }
      return { names: names.slice(0, limit), more: names.length > limit }
    },
  }
}

export interface UserNames {
  /** Something happened to these, who may be new or gone. */
  update(users: readonly string[]): void
  page(page: NamePage): PageOfNames
}

/** Names that are sorted in at once: about a millisecond. */
const slice = 1000

/** `everybody` may be walked through while users come and go, as the keys of a map. */
export function createUserNames(
  everybody: () => Iterable<string>,
  isKnown: (user: string) => boolean,
): UserNames {
  const sorted = createSortedNames()
  let progress: 'none' | 'sorting' | 'sorted' = 'none'

  function sortOn(names: Iterator<string>): void {
    for (let i = 0; i < slice; i++) {
      const next = names.next()
      if (next.done === true) {
        progress = 'sorted'
        return
      }
      sorted.add(next.value)
    }
    setImmediate(sortOn, names).unref()
  }

  return {
    update(users) {
      if (progress === 'none') return
      for (const user of users) {
        if (isKnown(user)) sorted.add(user)
        else sorted.delete(user)
      }
    },
    page(page) {
      if (progress === 'sorted') return sorted.page(page)
      if (progress === 'none') {
        progress = 'sorting'
        setImmediate(sortOn, everybody()[Symbol.iterator]()).unref()
      }
      return pageOfNames(everybody(), page)
    },
  }
}
