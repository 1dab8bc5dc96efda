// The names of all users, page by page. Who never asks pays nothing; from the first page on they are
// brought into order in the background, and kept so.

import { pageOfNames } from './page-of-names.ts'
import type { NamePage, PageOfNames } from './page-of-names.ts'
import { createSortedNames } from './sorted-names.ts'

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
