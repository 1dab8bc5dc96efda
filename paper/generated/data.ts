// Writes generated datasets in a published format, with the distributions that they are drawn from, and
// caches them on disk.

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

/** The files of a generated dataset, and the settings that reproduce them. */
export interface GeneratedData {
  readonly files: readonly GeneratedFile[]
  readonly settings: Readonly<Record<string, string | number>>
}

export interface WriteOptions {
  readonly signal?: AbortSignal
  /** Called from time to time with the number of lines written so far. */
  readonly onProgress?: (lines: number) => void
}

const chunkLength = 1 << 16

/**
 * Writes the files to a folder, with a truth.json and a README.txt that describes them. The files get
 * their names when all are complete. After a failure, or if `signal` aborts, no partial file remains.
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

/** Joins lines to texts that are large enough to write efficiently. */
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

/** Throws if a size of generated data is out of range. */
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

/** The affinity of two vectors: their product over √dimension, with mean 0 and variance 1. */
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
 * Divides `total` by the Zipf–Mandelbrot law: rank r gets a share in proportion to 1 / (r + count / 200),
 * limited to `most`. The ranks below get the rest.
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

/** The folder with the data of these settings. It depends on the settings and on the code. */
export function generatedFolder<Settings>(
  name: string,
  make: (settings: Settings) => GeneratedData,
  settings: Settings,
): Promise<string> {
  const key = digest([settings, codeDigest('{src/core,src/datasets,paper/generated}/*.ts')])
  return cached(`${name}-${key}`, (path) => writeGeneratedData(path, make(settings)))
}
