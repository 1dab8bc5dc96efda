// The list of every run on the test split, stored in runs.json.

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkout } from '../../scripts/checkout.ts'
import type { QualityFigure, Stage } from './row.ts'

export interface Run {
  /** ISO 8601. */
  readonly date: string
  /** With `+` if files differed from the commit. */
  readonly commit: string
  readonly machine: string
  readonly row: string
  readonly stage: Stage | null
  readonly seeds: readonly number[]
  /** Additional arguments, which define another setting of the row. */
  readonly settings: readonly string[]
  readonly figures: readonly QualityFigure[]
  /** For an interrupted run: the reason, and the figures so far. */
  readonly note?: string
}

const path = join(import.meta.dirname, 'runs.json')

export function readRuns(): readonly Run[] {
  return JSON.parse(readFileSync(path, 'utf8')) as readonly Run[]
}

/** Reads the file again first, because another run may have ended in the meantime. */
export function addRun(run: Run): void {
  writeFileSync(path, `${JSON.stringify([...readRuns(), run], null, 2)}\n`)
}

export function currentCommit(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: checkout, encoding: 'utf8' }).trim()
  const commit = git('rev-parse', '--short', 'HEAD')
  const changed = git('status', '--porcelain', '--untracked-files=no', 'src', 'package.json')
  return changed === '' ? commit : `${commit}+`
}
