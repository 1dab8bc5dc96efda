// Runs every example and checks its output.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkout, filesOf, run } from '../scripts/checkout.ts'

const examples = filesOf('examples', '*.ts')

/** The checks of each example's output. */
const shows: Readonly<Record<string, (lines: readonly string[]) => void>> = {
  'custom-policy.ts'(lines) {
    expect(lines).toHaveLength(3)
    for (const line of lines) {
      const pick = String.raw`(\w+) \(probability [01]\.\d\d\)`
      const [, ...picks] = new RegExp(`^${pick}, then ${pick}$`).exec(line)!
      expect(new Set(picks).size).toBe(2)
    }
    expect(lines.some((line) => line.startsWith('tea'))).toBe(true) // the item that Ann chose
  },
  'embed-in-your-server.ts'(lines) {
    expect(lines).toHaveLength(12)
    for (const line of lines) expect(line).toMatch(/^visit \d+: \w+ and \w+(, Ann chose cocoa)?$/)
    for (const line of lines.slice(-3)) expect(line).toContain('Ann chose cocoa')
  },
  'recommend.ts'(lines) {
    const text = lines.join(' ')
    expect(text).toContain("item: 'cocoa'")
    expect(Number(/relevance: ([\d.]+)/.exec(text)![1])).toBeGreaterThan(0.8)
  },
  'learn-and-save.ts'(lines) {
    expect(lines).toHaveLength(10 + 3)
    expect(lines[9]).toMatch(/^round 10: chose 5 of/)
    for (const line of lines.slice(10)) {
      const [, film] = /^film (\d+): relevance \d\.\d\d, diversity/.exec(line)!
      expect(Number(film) % 2, line).toBe(0) // users like the even ones
    }
  },
  'train-and-recommend.ts'(lines) {
    const [history, recommended] = lines.slice(-2)
    const [, last] = /^history: .*film (\d+)$/.exec(history!)!
    expect(recommended).toMatch(new RegExp(`^recommended: film ${Number(last) + 1},`))
  },
}

it('examples exist, each with an expected output', () => {
  expect(examples.length).toBeGreaterThan(0)
  expect(Object.keys(shows).toSorted()).toEqual(examples)
})

it.each(examples)('%s has at most 40 lines', (file) => {
  const lines = readFileSync(join(checkout, 'examples', file), 'utf8')
    .trimEnd()
    .split('\n')
  expect(lines.length).toBeLessThanOrEqual(40)
})

it.each(examples)('%s runs and prints the expected output', (file) => {
  const output = run('node', [`examples/${file}`])
  expect(output).not.toBe('')
  shows[file]!(output.trimEnd().split('\n'))
})
