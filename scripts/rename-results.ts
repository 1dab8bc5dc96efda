// Renames settings, panels and methods in the committed results of the paper. Numbers and seeds
// stay as they are; a manifest gets the hash of its renamed plan. Run it after a rename in
// paper/plans: it changes nothing that already has the new names.
//
//     node scripts/rename-results.ts

import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { planHash } from '../src/experiments/manifest.ts'
import type { Manifest } from '../src/experiments/manifest.ts'
import { checkout } from './checkout.ts'

/** Keys of settings in plans. */
const keys: Readonly<Record<string, string>> = { optimiser: 'optimizer' }
/** Values of `panel` and `method`, in plans and rows. */
const names: Readonly<Record<string, string>> = {}

function renameResults(folder: string): void {
  const manifestPath = join(folder, 'manifest.json')
  const old = JSON.parse(readFileSync(manifestPath, 'utf8')) as Manifest
  const plan = rename(old.plan) as Manifest['plan']
  writeFileSync(
    manifestPath,
    `${JSON.stringify({ ...old, plan, planHash: planHash(plan) }, null, 2)}\n`,
  )
  const rowsPath = join(folder, 'rows.ndjson')
  writeFileSync(rowsPath, readFileSync(rowsPath, 'utf8').replaceAll(rowName, renameInRow))
}

/** Only the two names of a row are replaced, so that its numbers keep their digits. */
const rowName = /"(panel|method)":"([^"]*)"/g
const renameInRow = (_: string, key: string, name: string): string =>
  `"${key}":"${names[name] ?? name}"`

function rename(value: unknown): unknown {
  if (typeof value === 'string') return names[value] ?? value
  if (Array.isArray(value)) return value.map(rename)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  return Object.fromEntries(entries.map(([key, inner]) => [keys[key] ?? key, rename(inner)]))
}

const results = join(checkout, 'paper/results')
for (const plan of readdirSync(results)) renameResults(join(results, plan))
