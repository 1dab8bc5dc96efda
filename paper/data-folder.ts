// The folder of published datasets, which this repository does not contain.

import { existsSync } from 'node:fs'

import { RenError } from '../src/core/errors.ts'

/** The default folder of datasets: `REN_DATA`, `data`, or `../shared/data` next to a checkout. */
export const defaultData = (): string =>
  process.env['REN_DATA'] ?? ['data', '../shared/data'].find(existsSync) ?? 'data'

/** Refuses a world that needs datasets without their folder. */
export function requireFolder(name: string, data: string | undefined): string {
  if (data !== undefined) return data
  throw new RenError('dataset-missing', `${name} must be a folder of datasets, got none`)
}
