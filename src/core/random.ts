// Seeded random numbers in independent named streams: the only source of randomness in the library.
// They are the same on every platform, because they use integer arithmetic, exact square roots and a
// portable logarithm.

import { invalid } from './errors.ts'

/** An array whose elements can be swapped, plain or typed. */
export interface MutableArrayLike<T> {
  /** The number of elements. */
  readonly length: number
  [index: number]: T
}

/** A stream of random numbers that can be forked, saved and restored. */
export interface Random {
  /** A new stream that depends on this stream's key and `name`, never on the numbers drawn. */
  fork(name: string): Random
  /** Uniform in [0, 1), a multiple of 2⁻⁵³. */
  uniform(): number
  /** Uniform over 0 … bound − 1, without bias; `bound` is at most 2³². */
  integer(bound: number): number
  /** Standard normal. */
  normal(): number
  /** Puts the elements into a uniformly random order, in place. */
  shuffle<T>(items: MutableArrayLike<T>): void
  /**
   * Draws `count` distinct integers below `bound`, at most 2²⁴. Every ordered choice is equally
   * likely; O(count).
   */
  choose(count: number, bound: number): Int32Array
  /** Returns the stream's key and state, for `restoreRandom`. */
  save(): Uint32Array
}

type Words = Uint32Array
type NextWord = () => number

const keyWords = 4
const rootKey: Words = Uint32Array.of(0x9e3779b9, 0x243f6a88, 0xb7e15162, 0x6a09e667)

/**
 * Creates a stream of random numbers. The same seed gives the same numbers on every platform; the
 * number 7 and the text `'7'` are the same seed.
 *
 * @example
 * ```ts
 * import { createRandom } from 'ren-recommender'
 *
 * const random = createRandom('experiment-1')
 * const die = 1 + random.integer(6)
 * const other = random.fork('users') // an independent stream
 * ```
 */
export function createRandom(seed: number | string): Random {
  if (typeof seed === 'number' ? !Number.isFinite(seed) : typeof seed !== 'string') {
    throw invalid(`createRandom: seed must be a finite number or a string, got ${String(seed)}`)
  }
  const key = deriveKey(rootKey, String(seed))
  return createStream(key, key.slice())
}

/** Restores a stream from `Random.save`. It continues, and forks, exactly as the original would. */
export function restoreRandom(saved: Uint32Array): Random {
  const isWhole = saved instanceof Uint32Array && saved.length === 2 * keyWords
  if (!isWhole || saved.subarray(keyWords).every((word) => word === 0)) {
    throw invalid('restoreRandom: the state must be eight words of save(), not all 0')
  }
  return createStream(saved.slice(0, keyWords), saved.slice(keyWords))
}

function createStream(key: Words, state: Words): Random {
  const next: NextWord = () => nextWord(state)
  return {
    fork(name) {
      if (typeof name !== 'string') {
        throw invalid(`fork: name must be a string, got ${typeof name}`)
      }
      const child = deriveKey(key, name)
      return createStream(child, child.slice())
    },
    uniform: () => uniform(next),
    integer(bound) {
      requireInteger('integer: bound', bound, 1, 2 ** 32)
      return integer(next, bound)
    },
    normal: () => normal(next),
    shuffle(items) {
      if (typeof items !== 'object' || items === null || Object.isFrozen(items)) {
        throw invalid('shuffle: the array must have elements that can be swapped')
      }
      requireInteger('shuffle: length', items.length, 0, 2 ** 32)
      shuffle(next, items)
    },
    choose(count, bound) {
      requireInteger('choose: bound', bound, 0, 2 ** 31)
      requireInteger('choose: count', count, 0, Math.min(bound, largestChoice))
      return choose(next, count, bound)
    },
    save: () => Uint32Array.of(...key, ...state),
  }
}

// xoshiro128** 1.1 (Blackman and Vigna): four words of state, one word out.
function nextWord(state: Words): number {
  const s0 = state[0]!
  const s1 = state[1]!
  const s2 = state[2]! ^ s0
  const s3 = state[3]! ^ s1
  state[0] = s0 ^ s3
  state[1] = s1 ^ s2
  state[2] = s2 ^ (s1 << 9)
  state[3] = rotateLeft(s3, 11)
  return Math.imul(rotateLeft(Math.imul(s1, 5), 7), 9) >>> 0
}

function uniform(next: NextWord): number {
  const high = next() >>> 5
  return (high * 2 ** 26 + (next() >>> 6)) * 2 ** -53
}

// Rejection sampling: takes as many high bits as the bound has, and redraws until they are below it.
function integer(next: NextWord, bound: number): number {
  if (bound === 1) return 0
  const shift = Math.clz32(bound - 1)
  let value = next() >>> shift
  while (value >= bound) value = next() >>> shift
  return value
}

// Marsaglia's polar method. It drops the second number of the pair, so that a stream needs no state
// besides that of its generator.
function normal(next: NextWord): number {
  let u = 0
  let square = 0
  do {
    u = 2 * uniform(next) - 1
    const v = 2 * uniform(next) - 1
    square = u * u + v * v
  } while (square >= 1 || square === 0)
  return u * Math.sqrt((-2 * portableLogarithm(square)) / square)
}

// Fisher–Yates.
function shuffle<T>(next: NextWord, items: MutableArrayLike<T>): void {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = integer(next, last + 1)
    const lastItem = items[last]!
    items[last] = items[other]!
    items[other] = lastItem
  }
}

// Floyd's algorithm picks a uniform set; the shuffle makes its order uniform too.
function choose(next: NextWord, count: number, bound: number): Int32Array {
  const chosen = new Set<number>()
  for (let top = bound - count; top < bound; top += 1) {
    const candidate = integer(next, top + 1)
    chosen.add(chosen.has(candidate) ? top : candidate)
  }
  const result = Int32Array.from(chosen)
  shuffle(next, result)
  return result
}

// The capacity of a Set.
const largestChoice = 2 ** 24

/** Hashes a key and a name to a new key of 128 bits, never all zero. */
function deriveKey(key: Words, name: string): Words {
  const lanes = key.slice()
  for (let i = 0; i < name.length; i += 1) absorb(lanes, name.charCodeAt(i))
  absorb(lanes, name.length + 0x10000) // larger than any code unit, so it marks the end
  for (let round = 0; round < 4; round += 1) absorb(lanes, round)
  if (lanes.every((lane) => lane === 0)) lanes[0] = 1
  return lanes
}

// Adds the word and the new value of the previous lane to each lane, then mixes it with a bijection.
function absorb(lanes: Words, word: number): void {
  let neighbor = lanes[keyWords - 1]! ^ word
  for (let i = 0; i < keyWords; i += 1) {
    neighbor = mix((lanes[i]! + neighbor) >>> 0)
    lanes[i] = neighbor
  }
}

function rotateLeft(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by))
}

function requireInteger(what: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return
  throw invalid(`${what} must be an integer from ${min} to ${max}, got ${String(value)}`)
}

/**
 * MurmurHash3's finalizer, unsigned: every input bit flips each output bit about half of the time.
 * Seeds, dropout masks and tie-breaking use it.
 */
export function mix(word: number): number {
  let h = word
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

// A natural logarithm with the same bits on every engine. ECMAScript does not specify the result of
// Math.log exactly, and a difference in the last bit would change a seeded run.

const bits = new DataView(new ArrayBuffer(8))

// 2·artanh(f) = 2f·(1 + f²/3 + f⁴/5 + …). With |f| ≤ 3 − 2√2 thirteen terms reach float64.
const coefficients = Float64Array.from({ length: 13 }, (_, term) => 1 / (2 * term + 1))

/** Returns ln x of a positive, finite, normal number, to about two units in the last place. */
export function portableLogarithm(x: number): number {
  bits.setFloat64(0, x)
  const high = bits.getUint32(0)
  let exponent = (high >>> 20) - 1023
  bits.setUint32(0, (high & 0xfffff) | 0x3ff00000)
  let mantissa = bits.getFloat64(0) // x = mantissa · 2^exponent, mantissa in [1, 2)
  if (mantissa > Math.SQRT2) {
    mantissa /= 2
    exponent += 1
  }
  const f = (mantissa - 1) / (mantissa + 1)
  const square = f * f
  let series = 0
  for (let term = coefficients.length - 1; term >= 0; term -= 1) {
    series = series * square + coefficients[term]!
  }
  return exponent * Math.LN2 + 2 * f * series
}
