// The names of all users, page by page.

// One page of sorted names out of many unsorted ones, without sorting them all.

interface NamePage {
  readonly prefix?: string
  /** The last name of the page before. */
  readonly after?: string
  readonly limit: number
}

interface PageOfNames {
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

const longestBlock = 256

export class SortedNames {
  readonly #blocks: string[][] = [[]]
  /** Of each block but the first. */
  readonly #firsts: string[] = []

  /** Nothing where it is there. */
  add(name: string): void {
    const at = this.#blockOf(name)
    const block = this.#blocks[at]!
    const place = placeOf(block, name)
    if (block[place] === name) return
    block.splice(place, 0, name)
    if (block.length > longestBlock) this.#split(at)
  }

  /** Nothing where it is not. */
  delete(name: string): void {
    const block = this.#blocks[this.#blockOf(name)]!
    const place = placeOf(block, name)
    if (block[place] === name) block.splice(place, 1)
  }

  page({ prefix = '', after = '', limit }: NamePage): PageOfNames {
    const names: string[] = []
    const start = after > prefix ? after : prefix
    let at = this.#blockOf(start)
    let place = placeOf(this.#blocks[at]!, start)
    while (at < this.#blocks.length && names.length <= limit) {
      const name = this.#blocks[at]![place++]
      if (name === undefined) {
        at += 1
        place = 0
      } else if (!name.startsWith(prefix)) break
      else if (name !== after) names.push(name)
    }
    return { names: names.slice(0, limit), more: names.length > limit }
  }

  /** The block that a name belongs into. */
  #blockOf(name: string): number {
    const at = placeOf(this.#firsts, name)
    return this.#firsts[at] === name ? at + 1 : at
  }

  #split(at: number): void {
    const rest = this.#blocks[at]!.splice(longestBlock / 2)
    this.#blocks.splice(at + 1, 0, rest)
    this.#firsts.splice(at, 0, rest[0]!)
  }
}

/** Names that are sorted in at once: about a millisecond. */
const slice = 1000

/** Sorts the names in the background; a page before that goes through all of them. */
export class UserNames {
  readonly #everybody: () => Iterable<string>
  readonly #isKnown: (user: string) => boolean
  readonly #sorted = new SortedNames()
  #isSorted = false

  /** @param everybody Can be iterated over while users come and go, as the keys of a map. */
  constructor(everybody: () => Iterable<string>, isKnown: (user: string) => boolean) {
    this.#everybody = everybody
    this.#isKnown = isKnown
    const names = everybody()[Symbol.iterator]()
    setImmediate(() => this.#sortOn(names)).unref()
  }

  /** Something happened to these, who may be new or gone. */
  update(users: readonly string[]): void {
    for (const user of users) {
      if (this.#isKnown(user)) this.#sorted.add(user)
      else this.#sorted.delete(user)
    }
  }

  page(page: NamePage): PageOfNames {
    return this.#isSorted ? this.#sorted.page(page) : pageOfNames(this.#everybody(), page)
  }

  #sortOn(names: Iterator<string>): void {
    for (let i = 0; i < slice; i++) {
      const next = names.next()
      if (next.done === true) {
        this.#isSorted = true
        return
      }
      this.#sorted.add(next.value)
    }
    setImmediate(() => this.#sortOn(names)).unref()
  }
}
