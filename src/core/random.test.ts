import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RenError } from './errors.ts'
import { createRandom, restoreRandom, mix, portableLogarithm } from './random.ts'
import type { Random } from './random.ts'

const word = (random: Random): number => random.integer(2 ** 32)
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))
const ascending = (a: number, b: number): number => a - b
const mean = (values: readonly number[]): number =>
  values.reduce((a, b) => a + b, 0) / values.length

/** Pearson's statistic of observed counts against equal expected ones. */
function chiSquare(counts: readonly number[]): number {
  const expected = mean(counts)
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}

/** Counts each outcome, by its text; outcomes that never occurred count 0. */
function tally(draws: number, outcomes: number, draw: () => string): number[] {
  const counts = new Map<string, number>()
  for (let i = 0; i < draws; i += 1) {
    const outcome = draw()
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }
  return [...counts.values(), ...times(outcomes - counts.size, () => 0)]
}

/** Mean plus five standard deviations of a chi-square variable. */
const chiSquareLimit = (outcomes: number): number =>
  outcomes - 1 + 5 * Math.sqrt(2 * (outcomes - 1))

describe('the generator', () => {
  it('is xoshiro128**, by the known answers of the Rust crate rand_xoshiro', () => {
    const random = restoreRandom(Uint32Array.of(0, 0, 0, 0, 1, 2, 3, 4))
    expect(times(10, () => word(random))).toEqual([
      11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597,
      4258142804,
    ])
  })

  it('gives these numbers for this seed on every platform', () => {
    const random = createRandom('pinned')
    expect(times(4, () => word(random))).toEqual([2548319726, 2803178764, 2473489129, 1456449203])
    expect(times(2, () => random.uniform())).toEqual([0.9968976220892314, 0.28014796160530886])
    expect(times(4, () => random.normal())).toEqual([
      0.675890792950828, 1.5347833332679055, 0.8564452032593444, 0.24565988334115818,
    ])
    expect([...random.choose(6, 1000)]).toEqual([374, 91, 269, 66, 816, 177])
    expect(word(random.fork('environment'))).toBe(91577914)
  })

  it('treats a number and its decimal text as the same seed, and other seeds as different', () => {
    expect(word(createRandom(7))).toBe(word(createRandom('7')))
    const firsts = times(10_000, (seed) => createRandom(seed).save().slice(4).join())
    expect(new Set(firsts).size).toBe(10_000)
  })

  it('gives unrelated first words to neighboring seeds', () => {
    const flips = times(2000, (seed) => {
      const difference = word(createRandom(seed)) ^ word(createRandom(seed + 1))
      return times(32, (bit) => (difference >>> bit) & 1)
    })
    for (let bit = 0; bit < 32; bit += 1) {
      expect(Math.abs(mean(flips.map((flip) => flip[bit]!)) - 0.5)).toBeLessThan(0.06)
    }
  })
})

describe('uniform', () => {
  it('lies in [0, 1) with the mean and variance of the uniform law', () => {
    const random = createRandom(1)
    const values = times(100_000, () => random.uniform())
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true)
    expect(mean(values)).toBeCloseTo(1 / 2, 2)
    expect(mean(values.map((value) => (value - 0.5) ** 2))).toBeCloseTo(1 / 12, 2)
  })

  it('uses all 53 bits', () => {
    const random = createRandom(2)
    const scaled = times(1000, () => random.uniform() * 2 ** 53)
    expect(scaled.every(Number.isInteger)).toBe(true)
    expect(mean(scaled.map((value) => value % 2))).toBeCloseTo(0.5, 1)
  })
})

describe('integer', () => {
  it.each([2, 3, 10, 64, 100])('is uniform below %d', (bound) => {
    const random = createRandom(bound)
    const counts = tally(200 * bound, bound, () => String(random.integer(bound)))
    expect(counts).toHaveLength(bound)
    expect(chiSquare(counts)).toBeLessThan(chiSquareLimit(bound))
  })

  it('has no modulo bias: of integers below 3·2³⁰, a third falls in each third', () => {
    const random = createRandom(3)
    const counts = tally(30_000, 3, () => String(Math.floor(random.integer(3 * 2 ** 30) / 2 ** 30)))
    expect(chiSquare(counts)).toBeLessThan(chiSquareLimit(3))
  })

  it('lies below any bound', () => {
    const random = createRandom(4)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 32 }), (bound) => {
        const value = random.integer(bound)
        expect(Number.isInteger(value) && value >= 0 && value < bound).toBe(true)
      }),
    )
    expect(random.integer(1)).toBe(0)
  })
})

describe('normal', () => {
  it('has the first four moments and the tails of the normal law', () => {
    const random = createRandom(5)
    const values = times(200_000, () => random.normal())
    const moment = (power: number): number => mean(values.map((value) => value ** power))
    expect(Math.abs(moment(1))).toBeLessThan(0.01)
    expect(Math.abs(moment(2) - 1)).toBeLessThan(0.02)
    expect(Math.abs(moment(3))).toBeLessThan(0.05)
    expect(Math.abs(moment(4) - 3)).toBeLessThan(0.1)
    expect(mean(values.map((value) => Number(Math.abs(value) > 1.96)))).toBeCloseTo(0.05, 2)
  })
})

describe('shuffle', () => {
  it('reaches every order of four, each equally often', () => {
    const random = createRandom(6)
    const counts = tally(24_000, 24, () => {
      const items = [0, 1, 2, 3]
      random.shuffle(items)
      return items.join('')
    })
    expect(counts).toHaveLength(24)
    expect(Math.min(...counts)).toBeGreaterThan(0)
    expect(chiSquare(counts)).toBeLessThan(chiSquareLimit(24))
  })

  it('retains the elements of plain and typed arrays', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 })),
        fc.string(),
        (items, seed) => {
          const plain = [...items]
          const typed = Int32Array.from(items)
          createRandom(seed).shuffle(plain)
          createRandom(seed).shuffle(typed)
          expect([...typed]).toEqual(plain)
          expect(plain.toSorted(ascending)).toEqual(items.toSorted(ascending))
        },
      ),
    )
  })
})

describe('choose', () => {
  it('returns that many distinct integers below the bound', () => {
    const request = fc
      .integer({ min: 0, max: 200 })
      .chain((bound) => fc.tuple(fc.integer({ min: 0, max: bound }), fc.constant(bound)))
    fc.assert(
      fc.property(request, fc.string(), ([count, bound], seed) => {
        const chosen = createRandom(seed).choose(count, bound)
        expect(chosen).toHaveLength(count)
        expect(new Set(chosen).size).toBe(count)
        expect(chosen.every((value) => value >= 0 && value < bound)).toBe(true)
      }),
    )
  })

  it('makes each ordered choice equally likely', () => {
    const random = createRandom(7)
    const counts = tally(20_000, 20, () => random.choose(2, 5).join())
    expect(counts).toHaveLength(20)
    expect(chiSquare(counts)).toBeLessThan(chiSquareLimit(20))
  })

  it('draws distinct, evenly spread integers also for large counts', () => {
    const [count, bound] = [2 ** 20 + 1, 2 ** 22]
    const chosen = createRandom('many').choose(count, bound)
    const seen = new Uint8Array(bound)
    const quarters = [0, 0, 0, 0]
    for (const value of chosen) {
      seen[value]! += 1
      quarters[value >>> 20]! += 1
    }
    expect(chosen).toHaveLength(count)
    expect(seen.every((often) => often <= 1)).toBe(true)
    expect(chiSquare(quarters)).toBeLessThan(chiSquareLimit(4))
  })

  it('needs memory in proportion to the count, not to the bound', () => {
    expect(createRandom(8).choose(3, 2 ** 31)).toHaveLength(3)
  })
})

describe('fork', () => {
  it('depends on key and name, not on the numbers drawn', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.string(), fc.string(), (draws, seed, name) => {
        const used = createRandom(seed)
        for (let i = 0; i < draws; i += 1) used.normal()
        expect(used.fork(name).save()).toEqual(createRandom(seed).fork(name).save())
      }),
    )
  })

  it('does not advance the parent', () => {
    const parent = createRandom(9)
    const before = parent.save()
    parent.fork('child').uniform()
    expect(parent.save()).toEqual(before)
  })

  it('gives every path of names its own stream', () => {
    const root = createRandom(10)
    const names = ['', 'a', 'b', 'ab', 'ba', 'a\0', '0', 'é']
    const streams = [root, ...names.map((name) => root.fork(name))]
    const all = [...streams, ...streams.flatMap((s) => names.map((name) => s.fork(name).fork('x')))]
    expect(new Set(all.map((stream) => stream.save().join())).size).toBe(all.length)
  })

  it.each([
    ['parent and child', (root: Random) => [root, root.fork('a')] as const],
    ['siblings', (root: Random) => [root.fork('a'), root.fork('b')] as const],
    ['child and grandchild', (root: Random) => [root.fork('a'), root.fork('a').fork('a')] as const],
  ])('gives uncorrelated numbers to %s', (_, pair) => {
    const [left, right] = pair(createRandom(11))
    const products = times(20_000, () => (left.uniform() - 0.5) * (right.uniform() - 0.5) * 12)
    expect(Math.abs(mean(products))).toBeLessThan(5 / Math.sqrt(20_000))
  })
})

describe('save and restore', () => {
  it('continue and fork as the original does', () => {
    const original = createRandom(12).fork('worker')
    original.normal()
    const restored = restoreRandom(original.save())
    expect(restored.fork('a').uniform()).toBe(original.fork('a').uniform())
    expect(times(5, () => restored.normal())).toEqual(times(5, () => original.normal()))
  })
})

describe('bad arguments', () => {
  const random = createRandom(13)
  it.each<[string, () => unknown]>([
    ['a seed that is NaN', () => createRandom(Number.NaN)],
    ['a seed that is infinite', () => createRandom(Infinity)],
    ['a seed of another kind', () => createRandom(null as unknown as string)],
    ['a name that is no string', () => random.fork(1 as unknown as string)],
    ['an integer below 0', () => random.integer(0)],
    ['an integer below a fraction', () => random.integer(2.5)],
    ['an integer below more than a word', () => random.integer(2 ** 32 + 1)],
    ['more choices than there are', () => random.choose(4, 3)],
    ['a negative count', () => random.choose(-1, 3)],
    ['a bound over 2³¹', () => random.choose(1, 2 ** 31 + 1)],
    ['nothing to shuffle', () => random.shuffle(null as unknown as number[])],
    ['a string to shuffle', () => random.shuffle('abc' as unknown as number[])],
    ['a frozen array to shuffle', () => random.shuffle(Object.freeze([1, 2]))],
    ['something without a length', () => random.shuffle({} as unknown as number[])],
    ['a save that is missing', () => restoreRandom(null as unknown as Uint32Array)],
    ['a save that is text', () => restoreRandom('12345678' as unknown as Uint32Array)],
    ['a save of other numbers', () => restoreRandom(new Float64Array(8) as unknown as Uint32Array)],
    ['a save that is too long', () => restoreRandom(Uint32Array.of(...random.save(), 1))],
    ['a save that is cut short', () => restoreRandom(random.save().subarray(1))],
    ['a save of zeros', () => restoreRandom(new Uint32Array(8))],
  ])('refuses %s', (_, call) => {
    expect(call).toThrow(RenError)
    expect(call).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  })
})

describe('mix', () => {
  it('is the finalizer of MurmurHash3, by known answers', () => {
    expect([0, 1, 0xffffffff].map(mix)).toEqual([0, 0x514e28b7, 0x81f16f39])
  })

  it('gives signed and unsigned words the same hash, and is invertible', () => {
    const undo = (hash: number): number => {
      let h = hash ^ (hash >>> 16)
      h = Math.imul(h, 0x7ed1b41d)
      h = Math.imul(h ^ (h >>> 13) ^ (h >>> 26), 0xa5cb9243)
      return (h ^ (h >>> 16)) >>> 0
    }
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (bits) => {
        expect(mix(bits | 0)).toBe(mix(bits))
        expect(undo(mix(bits))).toBe(bits)
      }),
    )
  })
})

const relativeError = (x: number): number =>
  Math.abs(portableLogarithm(x) - Math.log(x)) / (Math.abs(Math.log(x)) || 1)

describe('portableLogarithm', () => {
  it('agrees with Math.log to 1e-15 over all normal numbers', () => {
    fc.assert(
      fc.property(fc.double({ min: 2 ** -1022, noNaN: true, noDefaultInfinity: true }), (x) => {
        expect(relativeError(x)).toBeLessThan(1e-15)
      }),
      { numRuns: 2000, seed: 1 },
    )
  })

  it('agrees with Math.log to 1e-15 next to 1, where the logarithm vanishes', () => {
    for (let step = 1; step < 2000; step += 1) {
      expect(relativeError(1 + step * 2 ** -52)).toBeLessThan(1e-15)
      expect(relativeError(1 - step * 2 ** -53)).toBeLessThan(1e-15)
      expect(relativeError(step / 2000)).toBeLessThan(1e-15)
      expect(relativeError(1 + step / 2000)).toBeLessThan(1e-15)
    }
  })

  it('is exact for powers of two', () => {
    expect(portableLogarithm(1)).toBe(0)
    expect(portableLogarithm(2)).toBe(Math.LN2)
    expect(portableLogarithm(2 ** -104)).toBe(-104 * Math.LN2)
  })
})
