// Every public name has TSDoc, and docs/api.md is up to date.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkout } from '../scripts/checkout.ts'
import { apiDocument, entryPoints, examplesOf } from '../scripts/public-api.ts'

const all = entryPoints()
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

it('at least twenty names have an example', () => {
  const names = all.flatMap((entry) => entry.names).filter(({ doc }) => doc.includes('@example'))
  expect(names.filter((each) => examplesOf(each).length === 0)).toEqual([])
  expect(new Set(names.map(({ name }) => name)).size).toBeGreaterThanOrEqual(20)
})

it('docs/api.md is up to date (npm run write:api-doc)', () => {
  expect(readFileSync(join(checkout, 'docs/api.md'), 'utf8')).toBe(apiDocument())
})
