// The names of all users, page by page. Who never asks pays nothing; from the first page on they are
// brought into order in the background, and kept so.

import { placeOf, pageOfNames } from './page-of-names.ts'
import type { NamePage, PageOfNames } from './page-of-names.ts'

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
