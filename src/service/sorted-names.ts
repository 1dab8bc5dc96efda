// Names in their order, in blocks: one can come or go among a million without moving them all, and a
// page costs what is on it.

import { placeOf } from './page-of-names.ts'
import type { NamePage, PageOfNames } from './page-of-names.ts'

export interface SortedNames {
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
