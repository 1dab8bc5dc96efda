// Checks that these folders contain no banned words. The first half tests the checker itself.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkout, filesOf } from '../scripts/checkout.ts'
import { bannedWords, findBannedWords } from './language.ts'

/** Folders without banned words. Add one as soon as it is clean. */
const folders: readonly string[] = [
  'docs',
  'paper',
  'src/cli',
  'src/core',
  'src/dashboard',
  'src/datasets',
  'src/evaluation',
  'src/experiments',
  'src/exploration',
  'src/kernels',
  'src/models',
  'src/node',
  'src/recommender',
  'src/relevance',
  'src/service',
  'src/simulation',
  'src/storage',
  'test/e2e',
]

const stateFiles = 'names of tensors in saved states'

/** Names that are data. At most 20. */
const exceptions: readonly Exception[] = [
  { file: 'src/recommender/saved-users.ts', word: 'kept', reason: stateFiles },
  { file: 'src/recommender/saved-values.ts', word: 'kept', reason: stateFiles },
  { file: 'src/recommender/saved-formats.test.ts', word: 'kept', reason: stateFiles },
  {
    file: 'src/storage/sqlite/migrations.ts',
    word: 'told',
    reason: 'a value in stores of version 1',
  },
  ...[
    'docs/operations.md',
    'paper/README.md',
    'paper/README.template.md',
    'paper/results/mind/table.md',
  ].map((file) => ({ file, word: 'news', reason: 'MIND is a data set of news articles' })),
]

interface Exception {
  readonly file: string
  readonly word: string
  readonly reason: string
}

describe('the checker', () => {
  it.each([
    ['src/a.ts', 'const keptSlates = []', 'kept'],
    ['src/a.ts', 'const kept = []', 'kept'],
    ['src/a.ts', 'let x = mostPoints', 'most'],
    ['src/a.ts', 'export interface ServiceFace {}', 'face'],
    ['src/a.ts', '// The mostPoints of a chart.', 'most'],
    ['src/a.ts', '/** The rewards that were told. */', 'told'],
    ['src/a.ts', `const x = 'Nothing heard'`, 'heard'],
    ['src/a.ts', 'const x = `3 unless set`', 'unless set'],
    ['src/a.ts', '// Ten requests a second.', 'a second, an event (per)'],
    ['src/state-in-words.ts', '', 'inWords'],
    ['docs/a.md', 'Five `keptSlates` of a service', 'kept'],
    ['docs/a.md', 'It defaults to 5 unless set.', 'unless set'],
    ['src/a.test.ts', `it('has news', () => {})`, 'news'],
  ])('finds the banned word in %s: %s', (file, source, word) => {
    expect(findBannedWords(file, source).map((found) => found.word)).toContain(word)
  })

  it.each([
    ['src/a.ts', 'const mostRelevant = []'],
    ['src/a.ts', '// Keep the newest. It is made of parts that nobody reads.'],
    ['src/a.ts', 'const history = surface'],
    ['src/a.ts', '// After a second, the second event.'],
  ])('finds nothing in %s: %s', (file, source) => {
    expect(findBannedWords(file, source)).toEqual([])
  })

  it('has a replacement for each word', () => {
    for (const { word, use } of bannedWords) expect(use, word).not.toBe('')
  })
})

describe('the sources', () => {
  it.each(folders)('of %s have no banned words', (folder) => {
    const all = filesOf(folder, '**/*.{ts,tsx,md}').flatMap((name) => {
      const file = `${folder}/${name}`
      const found = findBannedWords(file, readFileSync(join(checkout, file), 'utf8'))
      return found.filter(({ word }) => !isException(file, word))
    })
    expect(all.map(({ file, line, word, text }) => `${file}:${line}: ${text} (${word})`)).toEqual(
      [],
    )
  })

  it('have few exceptions, and need each of them', () => {
    expect(exceptions.length).toBeLessThanOrEqual(20)
    for (const { file, word } of exceptions) {
      const found = findBannedWords(file, readFileSync(join(checkout, file), 'utf8'))
      expect(
        found.map((one) => one.word),
        file,
      ).toContain(word)
    }
  })
})

const isException = (file: string, word: string): boolean =>
  exceptions.some((exception) => exception.file === file && exception.word === word)
