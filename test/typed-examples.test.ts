// The code in the documents and the examples in TSDoc are well typed. One run of the compiler checks
// both, because it spends its time on the package that they import.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { checkout, run } from '../scripts/checkout.ts'
import { entryPoints, examplesOf } from '../scripts/public-api.ts'
import { docExamples } from './doc-examples.ts'
import type { DocExample } from './doc-examples.ts'

// An example in TSDoc may end with an unused result.
const inTsDoc: readonly DocExample[] = (await entryPoints())
  .flatMap(({ names }) => names)
  .flatMap((each) =>
    examplesOf(each).map((code, i) => ({ file: `${each.name}-${i + 1}.ts`, code })),
  )
  .map(({ file, code }) => ({ file, code: code.replaceAll(/^const /gm, 'export const ') }))

const folder = join(checkout, 'dist', 'typed-examples') // where the name of the package resolves
let faults: readonly string[]

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true })
  write('documents', docExamples)
  write('tsdoc', inTsDoc)
  const config = { extends: '../../tsconfig.json', include: ['*/*.ts'], exclude: [] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  faults = typeFaults()
}, 180_000)

function write(name: string, examples: readonly DocExample[]): void {
  mkdirSync(join(folder, name), { recursive: true })
  for (const { file, code } of examples) writeFileSync(join(folder, name, file), code)
}

/** The output of the compiler, or none if it succeeds. */
function typeFaults(): readonly string[] {
  try {
    run('tsc', ['-p', folder])
    return []
  } catch (error) {
    return String(error).split('\n')
  }
}

const isInTsDoc = (fault: string): boolean => fault.includes('typed-examples/tsdoc/')

it('the code in the documents is well typed', () => {
  expect(docExamples.length).toBeGreaterThan(0)
  expect(faults.filter((fault) => !isInTsDoc(fault))).toEqual([])
})

it('the examples in TSDoc are well typed', () => {
  expect(inTsDoc.length).toBeGreaterThan(0)
  expect(faults.filter(isInTsDoc)).toEqual([])
})
