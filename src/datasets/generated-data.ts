// Data sets that are made up in a published format: what they consist of, and the writing of them.

import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { RenError } from '../core/errors.ts'

/** One file, line by line; the lines are made as they are asked for. */
export interface GeneratedFile {
  readonly name: string
  readonly lines: Iterable<string>
}

/** The files of a made-up data set, and from what they can be made again. */
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
