// The documents say what is so: error codes, the dictionary of names, and code that runs.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { errorCodes } from 'ren-recommender'
import { beforeAll, describe, expect, it } from 'vitest'
import { checkout, filesOf, run } from '../scripts/checkout.ts'

const read = (path: string): string => readFileSync(join(checkout, path), 'utf8')

/** The cells of every table row of a document, header rows and rulers left out. */
function tableRows(markdown: string): string[][] {
  const lines = markdown.split('\n')
  return lines
    .filter((line, i) => line.startsWith('|') && !isRuler(line) && !isRuler(lines[i + 1] ?? ''))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

const isRuler = (line: string): boolean => /^\|[\s:|-]+\|$/.test(line)

describe('docs/errors.md', () => {
  it('lists every error code once, with its meaning and something to do', () => {
    const rows = tableRows(read('docs/errors.md'))
    expect(rows.map(([code, meaning]) => `${code} ${meaning}`).toSorted()).toEqual(
      Object.entries(errorCodes)
        .map(([code, meaning]) => `\`${code}\` ${meaning}`)
        .toSorted(),
    )
    for (const [code, , remedy] of rows) expect(remedy, code).toMatch(/^[A-Z].*\.$/)
  })
})

describe('docs/notation.md', () => {
  const source = filesOf('src', '**/*.ts')
    .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('kernels/assembly'))
    .map((path) => read(`src/${path}`))
    .join('\n')
  const words = new Set(source.match(/[\w$]+/g))
  const names = tableRows(read('docs/notation.md')).flatMap(([, code]) =>
    [...code!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!),
  )

  it('names something', () => expect(names.length).toBeGreaterThan(5))
  it.each(names)('names `%s`, which exists', (name) => expect(words).toContain(name))
})

describe('code in the documents', () => {
  const folder = join(checkout, 'dist', 'doc-tests')
  const examples = filesOf('.', '{README.md,docs/**/*.md}').flatMap((path) =>
    [...read(path).matchAll(/^```ts\n([\s\S]*?)^```/gm)]
      .map((match) => match[1]!)
      .filter((code) => code.includes("'ren-recommender"))
      .map((code, i) => ({ file: `${basename(path, '.md')}-${i + 1}.ts`, code })),
  )

  // Inside the checkout, so that the package finds itself by its public name.
  beforeAll(() => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const { file, code } of examples) writeFileSync(join(folder, file), code)
    const config = { extends: '../../tsconfig.json', include: ['*.ts'], exclude: [] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  })

  it('exists', () => expect(examples.length).toBeGreaterThan(0))
  it('is well typed', () => {
    expect(() => run('tsc', ['-p', folder])).not.toThrow()
  })
  it.each(examples)('runs: $file', ({ file }) => {
    expect(() => run('node', [join(folder, file)])).not.toThrow()
  })
})
