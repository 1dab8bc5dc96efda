// Checks that the readers can read generated data, that a seed reproduces it, and that it follows its truth.

import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { clickFlags, shownItems } from '../impressions/impression-log.ts'
import { affinity, shareOut, writeGeneratedData } from './data.ts'
import { generateNetflix, netflixTruth } from './netflix.ts'
import { readNetflix } from './read-netflix.ts'
import { readTrivago } from './read-trivago.ts'
import { generateTrivago, trivagoTruth } from './trivago.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'

const { folder, write } = temporaryFiles()
const trivago = { seed: 'a', users: 300, items: 2000, interactions: 800, hours: 6 }
const netflix = { seed: 'a', users: 400, movies: 60, ratings: 4000 }

const textOf = (data: ReturnType<typeof generateTrivago>): string =>
  data.files.flatMap(({ name, lines }) => [name, ...lines]).join('\n')
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

describe('generateTrivago', () => {
  it('can be read, and has the requested sizes', async () => {
    const out = join(folder, 'hotels/trivago')
    await writeGeneratedData(out, generateTrivago(trivago))
    const { log, skipped } = await readTrivago(join(folder, 'hotels'))
    expect([log.users.length, log.userNames.length, skipped]).toEqual([800, 300, 0])
    for (let row = 0; row < log.users.length; row++) {
      expect(new Set(shownItems(log, row)).size).toBe(shownItems(log, row).length)
      expect(clickFlags(log, row).reduce((sum, flag) => sum + flag, 0)).toBe(1)
    }
    const start = Date.UTC(2018, 10, 1)
    expect(log.times[0]).toBeGreaterThanOrEqual(start)
    expect(log.times.at(-1)).toBeLessThan(start + 6 * 3_600_000)
    expect(log.histories.values.length).toBeGreaterThan(800)
  })

  it('has ids of the original shapes', () => {
    const [sessions] = generateTrivago(trivago).files
    for (const line of [...sessions!.lines].slice(1)) {
      expect(line).toMatch(/^[A-Z0-9]{12},[0-9a-f]{13},15410\d{5},\d+,[a-z ]+,/)
    }
  })

  it('has clicks that depend on taste and position', () => {
    const truth = trivagoTruth(trivago)
    const indexOf = new Map(Array.from(truth.itemIds, (id, item) => [String(id), item]))
    const users = new Map(truth.userIds.map((id, user) => [id, user]))
    const [chosen, shown, places]: [number[], number[], number[]] = [[], [], []]
    for (const line of generateTrivago(trivago).files[0]!.lines) {
      if (!line.includes('clickout item')) continue
      const user = users.get(line.slice(0, 12))!
      const reference = /clickout item,(\d+)/.exec(line)![1]!
      const list = line.split(',').at(-2)?.split('|') ?? []
      const suits = (id: string): number =>
        affinity(truth.userFactors, user, truth.itemFactors, indexOf.get(id)!)
      chosen.push(suits(reference))
      shown.push(mean(list.map(suits)))
      places.push(list.indexOf(reference))
    }
    expect(mean(chosen)).toBeGreaterThan(mean(shown) + 0.8)
    expect(mean(places)).toBeLessThan(11)
  })

  it('refuses impossible sizes', () => {
    const invalid = expect.objectContaining({ code: 'invalid-argument' })
    expect(() => generateTrivago({ ...trivago, interactions: 299 })).toThrow(invalid)
    expect(() => generateTrivago({ ...trivago, items: 24 })).toThrow(invalid)
    expect(() => generateTrivago({ ...trivago, hours: 0.5 })).toThrow(invalid)
  })
})

describe('generateNetflix', () => {
  it('can be read, and has the requested sizes', async () => {
    await writeGeneratedData(join(folder, 'movies/netflix'), generateNetflix(netflix))
    const { log, skipped } = await readNetflix(join(folder, 'movies'))
    expect([log.users.length, log.itemNames.length, skipped]).toEqual([4000, 60, 0])
    expect(log.userNames.length).toBeLessThanOrEqual(400)
    const pairs = log.users.map((user, row) => user * 60 + log.items[row]!)
    expect(new Set(pairs).size).toBe(4000)
    expect(new Set(log.rewards)).toEqual(new Set([1, 2, 3, 4, 5]))
    expect(Math.min(...log.times)).toBeGreaterThanOrEqual(Date.UTC(1998, 9, 1))
    expect(Math.max(...log.times)).toBeLessThan(Date.UTC(2006, 0, 1))
  })

  it('fills the files of the original', () => {
    const names = (movies: number): string[] =>
      generateNetflix({ ...netflix, movies }).files.map(({ name }) => name)
    expect(names(4499)).toEqual(['combined_data_1.txt'])
    expect(names(4500)).toEqual(['combined_data_1.txt', 'combined_data_2.txt'])
    expect(names(17_770)).toHaveLength(4)
  })

  it('has users who rate suitable movies more often and higher', async () => {
    const truth = netflixTruth(netflix)
    const users = new Map(Array.from(truth.customers, (id, user) => [String(id), user]))
    const { log } = await readNetflix(join(folder, 'movies'))
    const suits = Array.from(log.users, (user, row) => {
      const movie = Number(log.itemNames[log.items[row]!]) - 1
      return affinity(
        truth.userFactors,
        users.get(log.userNames[user]!)!,
        truth.movieFactors,
        movie,
      )
    })
    expect(mean(suits)).toBeGreaterThan(0.4) // 0 if all rated alike
    const withRating = (rating: number): number[] =>
      suits.filter((_, row) => log.rewards[row] === rating)
    expect(mean(withRating(5))).toBeGreaterThan(mean(withRating(2)) + 0.8)
  })

  it('refuses impossible sizes', () => {
    const invalid = expect.objectContaining({ code: 'invalid-argument' })
    expect(() => generateNetflix({ ...netflix, movies: 17_771 })).toThrow(invalid)
    expect(() => generateNetflix({ ...netflix, ratings: 60 * 200 + 1 })).toThrow(invalid)
    expect(() => generateNetflix({ ...netflix, ratings: 60 * 200 })).not.toThrow()
  })
})

describe('generated data', () => {
  it('is equal for equal seeds and differs between seeds', () => {
    expect(textOf(generateTrivago(trivago))).toBe(textOf(generateTrivago(trivago)))
    expect(textOf(generateTrivago(trivago))).not.toBe(
      textOf(generateTrivago({ ...trivago, seed: 'b' })),
    )
    expect(textOf(generateNetflix(netflix))).toBe(textOf(generateNetflix(netflix)))
    expect(textOf(generateNetflix(netflix))).not.toBe(
      textOf(generateNetflix({ ...netflix, seed: 'b' })),
    )
  })

  it('says that it is generated, and lists the settings', async () => {
    const out = join(folder, 'reported')
    await writeGeneratedData(out, generateNetflix(netflix))
    expect(readFileSync(join(out, 'README.txt'), 'utf8')).toBe('generated data, not the original\n')
    expect(JSON.parse(readFileSync(join(out, 'truth.json'), 'utf8'))).toEqual({
      dataset: 'netflix',
      dimension: 8,
      ...netflix,
    })
  })

  it('leaves existing files unchanged if it is aborted', async () => {
    write('old', 'stopped/b')
    const controller = new AbortController()
    const endless = (function* () {
      for (;;) yield 'x'.repeat(1000)
    })()
    const data = {
      files: [
        { name: 'a', lines: ['1'] },
        { name: 'b', lines: endless },
      ],
      settings: {},
    }
    const writing = writeGeneratedData(join(folder, 'stopped'), data, {
      signal: controller.signal,
      onProgress: (lines) => lines > 500 && controller.abort(),
    })
    await expect(writing).rejects.toMatchObject({ name: 'AbortError' })
    expect(readdirSync(join(folder, 'stopped'))).toEqual(['b'])
    expect(readFileSync(join(folder, 'stopped/b'), 'utf8')).toBe('old')
  })
})

describe('shareOut', () => {
  it('divides the total, and no share exceeds the limit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.nat(50),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (count, most, part) => {
          const total = Math.floor(part * count * most)
          const shares = shareOut(total, count, most)
          expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total)
          expect(Math.max(...shares)).toBeLessThanOrEqual(most)
          expect(Math.min(...shares)).toBeGreaterThanOrEqual(0)
        },
      ),
    )
  })

  it('is steep at the top', () => {
    const shares = shareOut(100_000, 200)
    expect(shares[0]).toBeGreaterThan(10 * shares[100]!)
  })
})
