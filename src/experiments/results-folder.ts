// The results of one plan on disk: its rows and its manifest, and whose they are.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { RenError } from '../core/errors.ts'
import { inPlanOrder, keyOfRow } from './jobs.ts'
import { createManifest, planHash } from './manifest.ts'
import type { Manifest } from './manifest.ts'
import type { Plan } from './plan-schema.ts'
import type { RunRow } from './row.ts'
import { formatRows, readRows, recoverRows } from './rows-file.ts'

export const rowsFile = (folder: string): string => join(folder, 'rows.ndjson')
const manifestFile = (folder: string): string => join(folder, 'manifest.json')

export interface Results {
  readonly manifest: Manifest
  readonly rows: readonly RunRow[]
}

/** What earlier sessions left; nothing in a new folder. Results of another plan are refused. */
export function openResults(folder: string, plan: Plan, fresh: boolean): Results {
  mkdirSync(folder, { recursive: true })
  if (fresh) for (const file of [rowsFile, manifestFile]) rmSync(file(folder), { force: true })
  return readResults(folder, plan) ?? { manifest: createManifest(plan), rows: [] }
}

/** Null where there are none. */
export function readResults(folder: string, plan: Plan): Results | null {
  const manifest = readManifest(folder)
  if (manifest === null && existsSync(rowsFile(folder))) {
    throw unusable(`${folder}: expected a manifest.json beside rows.ndjson`)
  }
  if (manifest === null) return null
  if (manifest.planHash !== planHash(plan)) {
    throw unusable(`${folder}: its rows are of a plan ${plan.name} with other settings`)
  }
  // Two processes at once could have done the same run.
  const rows = new Map(recoverRows(rowsFile(folder)).map((row) => [keyOfRow(row), row]))
  return { manifest, rows: [...rows.values()] }
}

/** The results of any plan, as its manifest has it; null where there are none, or broken ones. */
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
    throw unusable(`${path}: expected JSON`, cause)
  }
}

export function writeManifest(folder: string, manifest: Manifest): void {
  writeWhole(manifestFile(folder), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** The rows in the plan's order, so that the file does not tell which run ended first. */
export function writeRows(folder: string, plan: Plan, rows: readonly RunRow[]): void {
  writeWhole(rowsFile(folder), formatRows(inPlanOrder(plan, rows)))
}

/** Writes beside the old file and then takes its place: there is never half a file. */
export function writeWhole(path: string, content: string | Uint8Array): void {
  writeFileSync(`${path}.part`, content)
  renameSync(`${path}.part`, path)
}

const unusable = (message: string, cause?: unknown): RenError =>
  new RenError(
    'results-unusable',
    `${message}; --fresh runs all of it again, --out writes elsewhere`,
    { cause },
  )
