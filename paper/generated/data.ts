// Generated data sets in a published format: their files, what they are drawn from, and a cache of
// them on disk.

import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { RenError } from '../../src/core/errors.ts'
import type { Random } from '../../src/core/random.ts'
import { cached, codeDigest, digest } from '../cache.ts'

/** One file, line by line; lines are generated on demand. */
export interface GeneratedFile {
  readonly name: string
  readonly lines: Iterable<string>
}

/** The files of a generated data set, and the settings that generate them again. */
export interface GeneratedData {
  readonly files: readonly GeneratedFile[]
  readonly settings: Readonly<Record<string, string | number>>
}

export interface WriteOptions {
  readonly signal?: AbortSignal
  /** Called now and then with the number of lines written so far. */
  readonly onProgress?: (lines: number) => void
}

const chunkLength = 1 << 16

/**
 * Writes the files to a folder, with a truth.json and a README.txt that says what they are. Until
 * all are whole none has its name; after a failure, or an abort by `signal`, no part is left.
 */
export async function writeGeneratedData(
  folder: string,
  { files, settings }: GeneratedData,
  { signal, onProgress }: WriteOptions = {},
): Promise<void> {
  const all: readonly GeneratedFile[] = [
    ...files,
    { name: 'truth.json', lines: [JSON.stringify(settings)] },
    { name: 'README.txt', lines: ['generated data, not the original'] },
  ]
  const partOf = (name: string): string => join(folder, `${name}.part`)
  await mkdir(folder, { recursive: true })
  let written = 0
  const count = (lines: number): void => onProgress?.((written += lines))
  try {
    for (const { name, lines } of all) {
      await pipeline(chunksOf(lines, count), createWriteStream(partOf(name)), { signal })
    }
    for (const { name } of all) await rename(partOf(name), join(folder, name))
  } catch (error) {
    await Promise.all(all.map(({ name }) => rm(partOf(name), { force: true })))
    throw error
  }
}

/** Lines gathered to texts worth a write. */
function* chunksOf(lines: Iterable<string>, count: (lines: number) => void): Generator<string> {
  let [text, pending] = ['', 0]
  for (const line of lines) {
    text += `${line}\n`
    pending += 1
    if (text.length < chunkLength) continue
    yield text
    count(pending)
    text = ''
    pending = 0
  }
  if (pending > 0) yield text
  count(pending)
}

/** Refuses a size of generated data that is out of range. */
export function requireSize(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return
  const expected = `${name} must be a whole number from ${least} to ${most}`
  throw new RenError('invalid-argument', `${expected}, got ${value}`)
}

/** A vector of tastes or traits for each user or item, row by row. */
export interface LatentFactors {
  readonly dimension: number
  readonly values: Float32Array
}

/** Independent standard normal factors. */
export function drawFactors(random: Random, count: number, dimension: number): LatentFactors {
  const values = Float32Array.from({ length: count * dimension }, () => random.normal())
  return { dimension, values }
}

/** How well two vectors go together: their product over √dimension, of mean 0 and variance 1. */
export function affinity(
  a: LatentFactors,
  rowOfA: number,
  b: LatentFactors,
  rowOfB: number,
): number {
  const { dimension } = a
  let sum = 0
  for (let at = 0; at < dimension; at++) {
    sum += a.values[rowOfA * dimension + at]! * b.values[rowOfB * dimension + at]!
  }
  return sum / Math.sqrt(dimension)
}

/**
 * Shares `total` out by the law of Zipf and Mandelbrot: the place of rank r gets a part as
 * 1 / (r + count / 200), but `most` at most; what is over goes to the ranks below.
 */
export function shareOut(total: number, count: number, most = total): Int32Array {
  const weights = Float64Array.from({ length: count }, (_, rank) => 1 / (rank + 1 + count / 200))
  const sum = weights.reduce((before, weight) => before + weight, 0)
  const shares = new Int32Array(count)
  let [due, given] = [0, 0]
  for (let rank = 0; rank < count; rank++) {
    due += weights[rank]!
    const owed = rank === count - 1 ? total : Math.round((due / sum) * total)
    shares[rank] = Math.min(most, owed - given)
    given += shares[rank]!
  }
  return shares
}

/** The folder with the data of these settings; another for other settings or other code. */
export function generatedFolder<Settings>(
  name: string,
  make: (settings: Settings) => GeneratedData,
  settings: Settings,
): Promise<string> {
  const key = digest([settings, codeDigest('{src/core,src/datasets,paper/generated}/*.ts')])
  return cached(`${name}-${key}`, (path) => writeGeneratedData(path, make(settings)))
}
