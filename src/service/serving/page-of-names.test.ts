import fc from 'fast-check'
import { expect, test } from 'vitest'

import { pageOfNames } from './page-of-names.ts'

test('the pages contain all names with the prefix, in order and once', () => {
  const names = fc.uniqueArray(fc.string({ maxLength: 3 }))
  fc.assert(
    fc.property(
      names,
      fc.string({ maxLength: 1 }),
      fc.integer({ min: 1, max: 5 }),
      (all, prefix, limit) => {
        const found: string[] = []
        for (let after: string | undefined; ;) {
          const page = pageOfNames(all, { prefix, limit, ...(after !== undefined && { after }) })
          expect(page.names.length).toBeLessThanOrEqual(limit)
          found.push(...page.names)
          if (!page.more) break
          after = page.names.at(-1)!
        }
        const expected = all
          .filter((name) => name.startsWith(prefix))
          .toSorted((a, b) => (a < b ? -1 : 1))
        expect(found).toEqual(expected)
      },
    ),
  )
})
