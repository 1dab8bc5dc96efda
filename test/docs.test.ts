// Checks the documents: error codes, notation, links, commands, and code that runs.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCodes } from 'ren-recommender'
import { beforeAll, describe, expect, it } from 'vitest'

import { checkout, filesOf, run } from '../scripts/checkout.ts'
import { cliDocument, cliPage } from '../scripts/write-cli-doc.ts'
import { settingsDocument, settingsPage } from '../scripts/write-settings-doc.ts'
import { examples as inHelp, createProgram } from '../src/cli/program.ts'
import { docExamples } from './doc-examples.ts'

const read = (path: string): string => readFileSync(join(checkout, path), 'utf8')

/** The cells of every table row of a document, without header rows and rulers. */
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
  it('lists every error code once, with its meaning and a remedy', () => {
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
  const source = ['src', 'paper']
    .flatMap((folder) => filesOf(folder, '**/*.ts').map((path) => `${folder}/${path}`))
    .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('src/kernels/assembly'))
    .map(read)
    .join('\n')
  const words = new Set(source.match(/[\w$]+/g))
  const names = tableRows(read('docs/notation.md')).flatMap(([, code]) =>
    [...code!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!),
  )

  it('names identifiers', () => expect(names.length).toBeGreaterThan(5))
  it.each(names)('names `%s`, which exists', (name) => expect(words).toContain(name))
})

describe('code in the documents', () => {
  // Inside the checkout, so that the public name of the package resolves.
  const folder = join(checkout, 'dist', 'doc-tests')
  beforeAll(() => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const { file, code } of docExamples) writeFileSync(join(folder, file), code)
  })

  it('exists', () => expect(docExamples.length).toBeGreaterThan(0))
  it.each(docExamples)('runs: $file', ({ file }) => {
    expect(() => run('node', [join(folder, file)])).not.toThrow()
  })
})

describe('docs/cli.md', () => {
  it('equals the output of the command', () => {
    expect(readFileSync(cliPage, 'utf8')).toBe(cliDocument())
  })
})

describe('docs/settings.md', () => {
  it('lists the settings of every policy and model', () => {
    expect(readFileSync(settingsPage, 'utf8')).toBe(settingsDocument())
  })
})

describe('commands in the documents', () => {
  const documents = filesOf('.', '{README.md,CONTRIBUTING.md,docs/*.md,paper/README.md}')
  const lines = documents.flatMap((path) =>
    [...read(path).matchAll(/^(?: {4}|\s*)(?:npm run ren --|ren) (.+)$/gm)].map(([, line]) => ({
      path,
      line: line!.replace(/\s*(#|>).*/, ''),
    })),
  )
  const helped = Object.values(inHelp)
    .flat()
    .map((line) => ({ path: 'help', line: line.replace(/^ren\s*/, '').replace(/\s*(#|>).*/, '') }))

  it('exist', () => expect(lines.length).toBeGreaterThan(20))
  it.each([...lines, ...helped])('$path: ren $line', ({ line }) => {
    const words = line.match(/'[^']*'|\S+/g) ?? []
    const depth = words.findIndex((word) => word.startsWith('-'))
    const [name, part] = depth === -1 ? words : words.slice(0, depth)
    if (name === undefined || name.toUpperCase() === name) return // the bare command, or COMMAND
    const command = createProgram().commands.find((each) => each.name() === name)
    expect(command, name).toBeDefined()
    const inner = command!.commands.find((each) => each.name() === part) ?? command!
    expect(inner.parseOptions(words.slice(1)).unknown).toEqual([])
  })
})

describe('README.md', () => {
  const readme = read('README.md')

  it('has at most 150 lines', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150)
  })

  it('has only results of paper/README.md', () => {
    const [, results] = /^## Results$([\s\S]*?)^## /m.exec(readme)!
    const intervals = results!.match(/[+−]?[\d.]+ \([^)]*…[^)]*\)/g)!
    expect(intervals.length).toBeGreaterThan(5)
    for (const interval of intervals) expect(read('paper/README.md')).toContain(interval)
  })
})

describe('files that the documents name', () => {
  const documents = filesOf('.', '{README.md,CONTRIBUTING.md,docs/**/*.md}')
  const sources = filesOf('.', '{src,test,bench,scripts,paper,examples}/**/*.{ts,tsx}')
  /** Files that the reader writes, and a planned store. */
  const future = /yours|softmax|postgres|\*/

  it.each(documents)('%s names only sources that exist', (path) => {
    const names = [...read(path).matchAll(/`([\w./*-]+\.tsx?)`/g)].map((match) => match[1]!)
    const missing = names.filter(
      (name) => !future.test(name) && !sources.some((source) => `/${source}`.endsWith(`/${name}`)),
    )
    expect(missing).toEqual([])
  })
})

describe('links in the documents', () => {
  const documents = filesOf('.', '{README.md,CONTRIBUTING.md,CHANGELOG.md,docs/**/*.md,bench/*.md}')

  it.each(documents)('%s links only to existing files', (path) => {
    const prose = read(path).replaceAll(/^```[\s\S]*?^```/gm, '')
    for (const [, target] of prose.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
      expect(existsSync(join(checkout, dirname(path), target!)), target).toBe(true)
    }
  })
})
