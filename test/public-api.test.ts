// Every public name has TSDoc, the examples are well typed, and docs/api.md is up to date.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkout, run } from '../scripts/checkout.ts'
import { apiDocument, entryPoints, examplesOf } from '../scripts/public-api.ts'

const all = entryPoints()
const examples = new Map(
  all.flatMap(({ names }) =>
    names.flatMap((each) => examplesOf(each).map((code, i) => [`${each.name}-${i + 1}.ts`, code])),
  ),
)

it.each(all)('every name of $specifier has TSDoc', ({ names }) => {
  expect(names.length).toBeGreaterThan(0)
  expect(names.filter(({ doc }) => doc === '').map(({ name }) => name)).toEqual([])
})

it.each(all)('$specifier has each name once', ({ names }) => {
  expect(names.map(({ name }) => name)).toEqual([...new Set(names.map(({ name }) => name))])
})

it('at least twenty names have an example', () => {
  const names = all.flatMap((entry) => entry.names).filter(({ doc }) => doc.includes('@example'))
  expect(names.filter((each) => examplesOf(each).length === 0)).toEqual([])
  expect(new Set(names.map(({ name }) => name)).size).toBeGreaterThanOrEqual(20)
})

it('the examples are well typed', () => {
  const folder = join(checkout, 'dist', 'api-examples') // where the name of the package resolves
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [file, code] of examples) writeFileSync(join(folder, file), code)
  const compilerOptions = { noUnusedLocals: false } // an example may end with an unused result
  const config = { extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'], exclude: [] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  expect(() => run('tsc', ['-p', folder])).not.toThrow()
})

it('docs/api.md is up to date (npm run write:api-doc)', () => {
  expect(readFileSync(join(checkout, 'docs/api.md'), 'utf8')).toBe(apiDocument())
})
