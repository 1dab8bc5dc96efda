// manifest.json: the plan of the rows in the same folder, and where and when they were computed.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'

import { runKernel } from '../../src/experiments/protocol.ts'
import type { Plan } from './plan-schema.ts'

export interface Manifest {
  readonly plan: Plan
  readonly kernel: string
  /** The seeds for which all runs of the plan have rows. */
  readonly seeds: readonly number[]
  /** One for each execution of the command that ran something. */
  readonly sessions: readonly Session[]
}

export interface Session extends Readonly<ReturnType<typeof describeHere>> {
  readonly started: string
  /** Null if the process was killed; the values below are then null too. */
  readonly finished: string | null
  readonly elapsedMilliseconds: number | null
  readonly cpuMilliseconds: number | null
  /** In bytes, since the start of the process, which may have run other plans before. */
  readonly peakMemory: number | null
  /** Rows that were copied from other plans in the folder. */
  readonly copied?: number
}

export const createManifest = (plan: Plan): Manifest => ({
  plan,
  kernel: runKernel,
  seeds: [],
  sessions: [],
})

const packageFolder = join(import.meta.dirname, '../..')

/** Starts a session; the returned function ends it. */
export function startSession(command: string): [Session, () => Session] {
  const [begun, cpuBefore] = [performance.now(), process.cpuUsage()]
  const session = { ...describeHere(command), started: new Date().toISOString() }
  const unknown = { elapsedMilliseconds: null, cpuMilliseconds: null, peakMemory: null }
  const finish = (): Session => {
    const { user, system } = process.cpuUsage(cpuBefore)
    return {
      ...session,
      finished: new Date().toISOString(),
      elapsedMilliseconds: Math.round(performance.now() - begun),
      cpuMilliseconds: Math.round((user + system) / 1000),
      peakMemory: process.resourceUsage().maxRSS * 1024,
    }
  }
  return [{ ...session, finished: null, ...unknown }, finish]
}

function describeHere(command: string) {
  const [cpu] = cpus()
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string
  }
  return {
    command,
    version,
    ...describeCommit(),
    node: process.version,
    machine: { cpu: cpu?.model ?? 'unknown', cores: cpus().length, memory: totalmem() },
  }
}

/** The files that determine the rows, as patterns of git. */
const determining = ['src', 'paper/plans', 'paper/*.ts', 'package-lock.json']

/** The commit, and whether sources or plans differ from it. Both are null without a repository. */
function describeCommit(): { readonly commit: string | null; readonly changed: boolean | null } {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: packageFolder, encoding: 'utf8', stdio: 'pipe' }).trim()
  // The sources may be inside another repository.
  if (!existsSync(join(packageFolder, '.git'))) return { commit: null, changed: null }
  try {
    const changes = git('status', '--porcelain', '--', ...determining)
    return { commit: git('rev-parse', 'HEAD'), changed: changes !== '' }
  } catch {
    // Git is not installed.
    return { commit: null, changed: null }
  }
}
