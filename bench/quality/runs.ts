// The list of every run on the test split, kept in runs.json beside this file.

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkout } from '../../scripts/checkout.ts'
import type { QualityFigure, Stage } from './row.ts'

export interface Run {
  /** ISO 8601. */
  readonly date: string
  /** With `+` where files had changed since. */
  readonly commit: string
  readonly machine: string
  readonly row: string
  readonly stage: Stage | null
  readonly seeds: readonly number[]
  /** Arguments beside the row's own: what makes it another setting. */
  readonly settings: readonly string[]
  readonly figures: readonly QualityFigure[]
  /** Of a run that was interrupted: why, and which figures were seen. */
  readonly note?: string
}

const path = join(import.meta.dirname, 'runs.json')

export function readRuns(): readonly Run[] {
  return JSON.parse(readFileSync(path, 'utf8')) as readonly Run[]
}

/** Reads the file again first: another run may have ended meanwhile. */
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
