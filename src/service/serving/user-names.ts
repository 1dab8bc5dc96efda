// Sorted pages of the names of all users.

import type { ItemPage } from '../service.ts'

type NamePage = Omit<ItemPage, 'filter'>

interface PageOfNames {
  readonly names: readonly string[]
  /** Whether there is a next page. */
  readonly more: boolean
}

/** One sorted page of unsorted names, without sorting them all. */
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
export function placeOf(sorted: readonly string[], name: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < name) low = middle + 1
    else high = middle
  }
  return low
}

const maxBlock = 256

/** Sorted names in blocks. Adding one of a million names moves at most a block of others. */
export class SortedNames {
  readonly #blocks: string[][] = [[]]
  /** The first name of each block, except the first block. */
  readonly #firsts: string[] = []

  /** Does nothing if the name exists. */
  add(name: string): void {
    const at = this.#blockOf(name)
    const block = this.#blocks[at]!
    const place = placeOf(block, name)
    if (block[place] === name) return
    block.splice(place, 0, name)
    if (block.length > maxBlock) this.#split(at)
  }

  /** Does nothing if the name does not exist. */
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

  /** The index of the block to which a name belongs. */
  #blockOf(name: string): number {
    const at = placeOf(this.#firsts, name)
    return this.#firsts[at] === name ? at + 1 : at
  }

  #split(at: number): void {
    const rest = this.#blocks[at]!.splice(maxBlock / 2)
    this.#blocks.splice(at + 1, 0, rest)
    this.#firsts.splice(at, 0, rest[0]!)
  }
}

/** Names to sort per turn of the event loop, which takes about a millisecond. */
const slice = 1000

/** Sorts all names in the background. Until that is done, each page scans all names. */
export class UserNames {
  readonly #allUsers: () => Iterable<string>
  readonly #isKnown: (user: string) => boolean
  readonly #sorted = new SortedNames()
  #isSorted = false

  /** @param allUsers Must tolerate changes during an iteration, like the keys of a map. */
  constructor(allUsers: () => Iterable<string>, isKnown: (user: string) => boolean) {
    this.#allUsers = allUsers
    this.#isKnown = isKnown
    const names = allUsers()[Symbol.iterator]()
    setImmediate(() => this.#sortNext(names)).unref()
  }

  /** Adds or removes users, depending on whether they are known now. */
  update(users: readonly string[]): void {
    for (const user of users) {
      if (this.#isKnown(user)) this.#sorted.add(user)
      else this.#sorted.delete(user)
    }
  }

  page(page: NamePage): PageOfNames {
    return this.#isSorted ? this.#sorted.page(page) : pageOfNames(this.#allUsers(), page)
  }

  #sortNext(names: Iterator<string>): void {
    for (let i = 0; i < slice; i++) {
      const next = names.next()
      if (next.done === true) {
        this.#isSorted = true
        return
      }
      this.#sorted.add(next.value)
    }
    setImmediate(() => this.#sortNext(names)).unref()
  }
}
