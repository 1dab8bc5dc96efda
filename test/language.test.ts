// Checks that the checkout contains no banned words. The first half tests the checker itself.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkout, filesOf } from '../scripts/checkout.ts'
import { bannedWords, findBannedWords } from './language.ts'

/** What is checked. CHANGELOG.md is not: it names what was renamed. */
const places: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'bench',
  'docs',
  'examples',
  'paper',
  'scripts',
  'src',
  'test',
]

/** Contain the banned words themselves. */
const checker = new Set(['test/language.ts', 'test/language.test.ts'])

const stateFiles = 'names of tensors in saved states'

/** Names that are data. At most 20. */
const exceptions: readonly Exception[] = [
  { file: 'src/recommender/saved-users.ts', word: 'kept', reason: stateFiles },
  {
    file: 'src/storage/sqlite/migrations.ts',
    word: 'told',
    reason: 'a value in stores of version 1',
  },
  ...[
    'README.md',
    'docs/operations.md',
    'paper/README.md',
    'paper/README.template.md',
    'paper/results/mind/table.md',
    'paper/results/mind-policies/table.md',
    'docs/exploration.md',
  ].map((file) => ({ file, word: 'news', reason: 'MIND is a dataset of news articles' })),
  ...['made', 'told'].map((word) => ({
    file: 'scripts/rename-results.ts',
    word,
    reason: 'the old names in committed results',
  })),
  ...['test/fixtures/make-store-94d8d4b.ts', 'test/fixtures/make-store-ec9ab3e.ts'].map((file) => ({
    file,
    word: 'keep',
    reason: 'a setting of the old commit',
  })),
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
    ['src/a.ts', `const flags = '--keep-versions'`, 'keep'],
    ['src/a.ts', `const flags = '--keep <n>'`, 'keep'],
    ['src/a.ts', `const path = '/v1/keeps'`, 'keep'],
    ['src/a.ts', `const path = '/v1/kept-slates/:id'`, 'kept'],
    ['src/a.ts', `const kinds = 'most-bytes nobody'`, 'most'],
    ['src/a.ts', `const kind = 'nobody'`, 'nobody'],
    ['src/a.ts', `const metric = 'ren_kept_users'`, 'kept'],
    ['src/a.ts', `const text = \`ren_users_kept_total \${n}\``, 'kept'],
    ['docs/a.md', 'Start `ren serve --keep-versions 3`.', 'keep'],
    ['docs/a.md', '    curl localhost:7700/v1/keeps', 'keep'],
    ['docs/a.md', 'The metric `ren_kept_users` counts them.', 'kept'],
    ['docs/a.md', 'It defaults to 5 unless\nset.', 'unless set'],
    ['src/a.tsx', 'const a = <p>Ten requests a second</p>', 'a second, an event (per)'],
    [
      'src/a.tsx',
      'const a = <p>At least {n} requests a\n second, or {m}</p>',
      'a second, an event (per)',
    ],
    ['src/a.ts', '// Ten requests\n// a second.', 'a second, an event (per)'],
    ['src/story/a.ts', '', 'story'],
  ])('finds the banned word in %s: %s', (file, source, word) => {
    expect(findBannedWords(file, source).map((found) => found.word)).toContain(word)
  })

  it.each([
    ['src/a.ts', 'const mostRelevant = []'],
    ['src/a.ts', '// Keep the newest. It is made of parts that nobody reads.'],
    ['src/a.ts', 'const history = surface'],
    ['src/a.ts', '// After a second, the second event.'],
    ['src/a.ts', `const header = 'keep-alive'`],
    ['src/a.ts', 'const limit = atMostOnce'],
    ['src/a.ts', `throw invalid('it must keep most of the parts that are made')`],
    ['docs/a.md', 'Nobody kept it. Most are made by hand.'],
  ])('finds nothing in %s: %s', (file, source) => {
    expect(findBannedWords(file, source)).toEqual([])
  })

  it('has a replacement for each word', () => {
    for (const { word, use } of bannedWords) expect(use, word).not.toBe('')
  })
})

describe('the sources', () => {
  it.each(places)('of %s have no banned words', (place) => {
    const files = place.endsWith('.md') ? [place] : filesOf('.', `${place}/**/*.{ts,tsx,md}`)
    expect(files.length).toBeGreaterThan(0)
    const checked = files.filter((file) => !checker.has(file))
    const all = checked.flatMap((file) =>
      findBannedWords(file, read(file)).filter(({ word }) => !isException(file, word)),
    )
    expect(all.map(({ file, line, word, text }) => `${file}:${line}: ${text} (${word})`)).toEqual(
      [],
    )
  })

  it('have few exceptions, and need each of them', () => {
    expect(exceptions.length + checker.size).toBeLessThanOrEqual(20)
    for (const { file, word } of exceptions) {
      const found = findBannedWords(file, read(file))
      expect(
        found.map((one) => one.word),
        file,
      ).toContain(word)
    }
  })
})

const isException = (file: string, word: string): boolean =>
  exceptions.some((exception) => exception.file === file && exception.word === word)

const read = (file: string): string => readFileSync(join(checkout, file), 'utf8')
