// Every example runs to its end, and shows what it was written to show.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkout, filesOf, run } from '../scripts/checkout.ts'

const examples = filesOf('examples', '*.ts')

/** What each example's output must show. */
const shows: Readonly<Record<string, (lines: readonly string[]) => void>> = {
  'custom-policy.ts'(lines) {
    expect(lines).toHaveLength(3)
    for (const line of lines) {
      const [, ...picks] = /^(\w+) \(chance [01]\.\d\d\), then (\w+) \(chance [01]\.\d\d\)$/.exec(
        line,
      )!
      expect(new Set(picks).size).toBe(2)
    }
    expect(lines.some((line) => line.startsWith('tea'))).toBe(true) // the one that was taken
  },
  'embed-in-your-server.ts'(lines) {
    expect(lines).toHaveLength(12)
    for (const line of lines) expect(line).toMatch(/^visit \d+: \w+ and \w+(, cocoa taken)?$/)
    for (const line of lines.slice(-3)) expect(line).toContain('cocoa taken')
  },
  'recommend.ts'(lines) {
    const text = lines.join(' ')
    expect(text).toContain("item: 'cocoa'")
    expect(Number(/relevance: ([\d.]+)/.exec(text)![1])).toBeGreaterThan(0.8)
  },
  'learn-and-save.ts'(lines) {
    expect(lines).toHaveLength(10 + 3)
    expect(lines[9]).toMatch(/^round 10: took 5 of/)
    for (const line of lines.slice(10)) {
      const [, film] = /^film (\d+): relevance \d\.\d\d, diversity/.exec(line)!
      expect(Number(film) % 2, line).toBe(0) // the even ones are liked
    }
  },
  'train-and-recommend.ts'(lines) {
    const [after, comes] = lines.slice(-2)
    const [, last] = /^after .*film (\d+)$/.exec(after!)!
    expect(comes).toMatch(new RegExp(`^comes film ${Number(last) + 1},`))
  },
}

it('there are some, and what each shows is known', () => {
  expect(examples.length).toBeGreaterThan(0)
  expect(Object.keys(shows).toSorted()).toEqual(examples)
})

it.each(examples)('%s can be read at a glance: at most 40 lines', (file) => {
  const lines = readFileSync(join(checkout, 'examples', file), 'utf8')
    .trimEnd()
    .split('\n')
  expect(lines.length).toBeLessThanOrEqual(40)
})

it.each(examples)('%s runs and shows what it should', (file) => {
  const output = run('node', [`examples/${file}`])
  expect(output).not.toBe('')
  shows[file]!(output.trimEnd().split('\n'))
})
