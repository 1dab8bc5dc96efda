import fc from 'fast-check'
import { expect, test } from 'vitest'

import { pageOfNames, SortedNames, UserNames } from './user-names.ts'

const anyName = fc.oneof(
  fc.constantFrom('ann', 'anne', 'bob', 'b', '\uffff'),
  fc.string({ minLength: 1, maxLength: 3 }),
)
const anyPage = fc.record(
  {
    prefix: fc.constantFrom('', 'a', 'an', 'b'),
    after: anyName,
    limit: fc.integer({ min: 1, max: 5 }),
  },
  { requiredKeys: ['limit'] },
)

test('sorted names have the same pages as unsorted ones, also after changes', () => {
  const change = fc.record({ name: anyName, comes: fc.boolean() })
  fc.assert(
    fc.property(fc.array(change), anyPage, (changes, page) => {
      const [names, sorted] = [new Set<string>(), new SortedNames()]
      for (const { name, comes } of changes) {
        if (comes) names.add(name)
        else names.delete(name)
        if (comes) sorted.add(name)
        else sorted.delete(name)
      }
      expect(sorted.page(page)).toEqual(pageOfNames(names, page))
    }),
  )
})

test('pages cover all names, also after a whole block is removed', () => {
  const sorted = new SortedNames()
  const names = Array.from({ length: 5000 }, (_, i) => `user ${(i * 7919) % 5000}`)
  for (const name of names) sorted.add(name)
  const left = names.filter((name) => !/^user [23]/.test(name))
  for (const name of names) if (/^user [23]/.test(name)) sorted.delete(name)
  const walked: string[] = []
  for (let more = true; more;) {
    const page = sorted.page({ limit: 700, after: walked.at(-1) ?? '' })
    walked.push(...page.names)
    more = page.more
  }
  expect(walked).toEqual(left.toSorted())
})

test('listing users does not iterate over all users once they are sorted', async () => {
  const users = new Set(Array.from({ length: 3000 }, (_, i) => `user ${i}`))
  let walks = 0
  const names = new UserNames(
    () => {
      walks += 1
      return users.keys()
    },
    (user) => users.has(user),
  )
  const first = () => names.page({ limit: 2 }).names
  expect(first()).toEqual(['user 0', 'user 1'])
  users.add('a late one').delete('user 0')
  names.update(['a late one', 'user 0'])
  expect(first()).toEqual(['a late one', 'user 1'])
  await expect
    .poll(() => {
      const before = walks
      first()
      return walks - before
    })
    .toBe(0)
  expect(first()).toEqual(['a late one', 'user 1'])
  users.add('a last one')
  names.update(['a last one'])
  expect(first()).toEqual(['a last one', 'a late one'])
})
