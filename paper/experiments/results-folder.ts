// The results of one plan on disk: manifest.json, and rows.ndjson with one run per line. A line is
// appended when its run ends, so a killed process leaves at most one incomplete line.

import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  truncateSync,
  writeSync,
  mkdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Type } from 'typebox'

import { RenError } from '../../src/core/errors.ts'
import type { RunRow } from '../../src/experiments/protocol.ts'
import { requireShape, closed, text } from '../../src/experiments/schema.ts'
import { createManifest, type Manifest } from './manifest.ts'
import { includesRuns, inPlanOrder, keyOfRow } from './plan-jobs.ts'
import type { Plan } from './plan-schema.ts'

const numbers = Type.Array(Type.Number())
const rowSchema = closed({
  panel: text,
  method: text,
  seed: Type.Integer(),
  at: numbers,
  series: Type.Record(Type.String(), numbers),
  measures: Type.Record(Type.String(), Type.Number()),
  milliseconds: Type.Number(),
})

const formatRows = (rows: readonly RunRow[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('')

/** The rows of a file, if it exists. Removes an incomplete last line. */
function recoverRows(path: string): readonly RunRow[] {
  if (!existsSync(path)) return []
  const bytes = readFileSync(path)
  const complete = completeLength(bytes)
  if (complete < bytes.length) truncateSync(path, complete)
  return parseRows(bytes.toString('utf8', 0, complete), path)
}

/** The rows of a file that another process may be writing. Ignores an incomplete last line. */
export function readRows(path: string): readonly RunRow[] {
  const bytes = readFileSync(path)
  return parseRows(bytes.toString('utf8', 0, completeLength(bytes)), path)
}

/** The length of the complete lines. */
const completeLength = (bytes: Buffer): number => bytes.lastIndexOf('\n') + 1

/** Parses complete lines; `place` names the file in errors. */
export function parseRows(lines: string, place: string): readonly RunRow[] {
  const parsed = lines.split('\n').slice(0, -1)
  return parsed.map((line, i) => parseRow(line, `${place}, line ${i + 1}`))
}

function parseRow(line: string, place: string): RunRow {
  try {
    return requireShape(rowSchema, JSON.parse(line), place, 'results-unusable')
  } catch (cause) {
    if (cause instanceof RenError) throw cause
    throw new RenError('results-unusable', `${place} must be JSON`, { cause })
  }
}

export function openRowWriter(path: string) {
  const file = openSync(path, 'a')
  return {
    /** Returns when the row is on disk. */
    append(row: RunRow): void {
      writeSync(file, formatRows([row]))
      fsyncSync(file)
    },
    close: (): void => closeSync(file),
  }
}

export const rowsFile = (folder: string): string => join(folder, 'rows.ndjson')
const manifestFile = (folder: string): string => join(folder, 'manifest.json')

export interface Results {
  readonly manifest: Manifest
  readonly rows: readonly RunRow[]
}

/**
 * The results of earlier sessions; empty in a new folder. The plan may have more methods and panels since
 * then. Refuses results of another plan.
 */
export function openResults(folder: string, plan: Plan, fresh: boolean): Results {
  mkdirSync(folder, { recursive: true })
  if (fresh) for (const file of [rowsFile, manifestFile]) rmSync(file(folder), { force: true })
  return readResults(folder, plan) ?? { manifest: createManifest(plan), rows: [] }
}

/** Null if there are none. */
export function readResults(folder: string, plan: Plan): Results | null {
  const manifest = readManifest(folder)
  if (manifest === null && existsSync(rowsFile(folder))) {
    throw unusable(`${folder}: has rows.ndjson, but no manifest.json`)
  }
  if (manifest === null) return null
  if (!includesRuns(plan, manifest.plan)) {
    throw unusable(
      `${folder}: its rows belong to a plan ${plan.name} with other methods or settings`,
    )
  }
  // Two processes may have done the same run.
  const rows = new Map(recoverRows(rowsFile(folder)).map((row) => [keyOfRow(row), row]))
  return { manifest, rows: [...rows.values()] }
}

/** The results of any plan; null if there are none or they are broken. */
export function readOthersResults(folder: string): Results | null {
  try {
    const manifest = readManifest(folder)
    if (manifest === null || !existsSync(rowsFile(folder))) return null
    return { manifest, rows: readRows(rowsFile(folder)) }
  } catch (error) {
    if (error instanceof RenError) return null
    throw error
  }
}

function readManifest(folder: string): Manifest | null {
  const path = manifestFile(folder)
  if (!existsSync(path)) return null
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Manifest
  } catch (cause) {
    throw unusable(`${path} must be JSON`, cause)
  }
}

export function writeManifest(folder: string, manifest: Manifest): void {
  writeWhole(manifestFile(folder), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Writes the rows in the order of the plan, independent of which run ended first. */
export function writeRows(folder: string, plan: Plan, rows: readonly RunRow[]): void {
  writeWhole(rowsFile(folder), formatRows(inPlanOrder(plan, rows)))
}

/** Writes a temporary file and renames it, so that there is never a partial file. */
export function writeWhole(path: string, content: string | Uint8Array): void {
  writeFileSync(`${path}.part`, content)
  renameSync(`${path}.part`, path)
}

const unusable = (message: string, cause?: unknown): RenError =>
  new RenError('results-unusable', `${message}; use --fresh to repeat all runs, or another --out`, {
    cause,
  })
