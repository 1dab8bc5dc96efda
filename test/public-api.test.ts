// Every public name and every member of a public type has TSDoc, and docs/api.md is up to date.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkout } from '../scripts/checkout.ts'
import { apiDocument, entryPoints, examplesOf } from '../scripts/public-api.ts'
import type { PublicName } from '../scripts/public-api.ts'
import type { Member } from '../scripts/type-members.ts'

const all = await entryPoints()
it.each(all)('every name of $specifier has TSDoc', ({ names }) => {
  expect(names.length).toBeGreaterThan(0)
  expect(names.filter(({ doc }) => doc === '').map(({ name }) => name)).toEqual([])
})

it.each(all)('$specifier has each name once', ({ names }) => {
  expect(names.map(({ name }) => name)).toEqual([...new Set(names.map(({ name }) => name))])
})

it.each(all)('every block of $specifier has one declaration', ({ names }) => {
  const startsOf = (head: string) => head.match(/^(?!\s|[)\]}>])/gm)!.length
  const starts = names.map(({ name, head }) => [name, startsOf(head)])
  expect(starts.filter(([, count]) => count !== 1)).toEqual([])
})

/** The members of a name: those that a schema describes, and those with their own TSDoc. */
const membersOf = ({ members, derived }: PublicName): readonly Member[] => [
  ...derived.filter(({ name }) => !members.some((own) => own.name === name && !own.optional)),
  ...members.map((own) => ({
    ...own,
    doc: own.doc || (derived.find(({ name }) => name === own.name)?.doc ?? ''),
  })),
]

const pathsOf = (names: readonly PublicName[], isWrong: (member: Member) => boolean) =>
  names.flatMap((each) =>
    membersOf(each)
      .filter(isWrong)
      .map(({ name }) => `${each.name}.${name}`),
  )

it('finds the members of types', () => {
  const service = all.flatMap(({ names }) => names).find(({ name }) => name === 'ServiceSettings')!
  const names = membersOf(service).map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['store', 'fullTraining', 'fullTraining.enabled']))
})

it.each(all)('every member of the types of $specifier has TSDoc', ({ names }) => {
  expect(pathsOf(names, ({ doc }) => doc === '')).toEqual([])
})

it.each(all)(
  'optional members of $specifier state their default, or what absence means',
  (entry) => {
    const statement = /\bdefaults?\s+to\b|\babsent\b|\bwithout\s+(?:it|one|this)\b/i
    const isUnclear = ({ optional, doc }: Member) => optional && !statement.test(doc)
    expect(pathsOf(entry.names, isUnclear)).toEqual([])
  },
)

it('at least twenty names have an example', () => {
  const names = all.flatMap((entry) => entry.names).filter(({ doc }) => doc.includes('@example'))
  expect(names.filter((each) => examplesOf(each).length === 0)).toEqual([])
  expect(new Set(names.map(({ name }) => name)).size).toBeGreaterThanOrEqual(20)
})

it('docs/api.md is up to date (npm run write:api-doc)', async () => {
  expect(readFileSync(join(checkout, 'docs/api.md'), 'utf8')).toBe(await apiDocument())
})
