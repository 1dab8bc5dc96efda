// Splits a log into lines to import, in the original format, and the held-out newest interactions of users.

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import type { SplitName } from './row.ts'

export interface LogLine {
  readonly line: string
  readonly user: string
  readonly item: string
  /** The lines of a user are sorted by time, then by their order in the file. */
  readonly time: number
}

export interface HeldOut {
  /** In the order of the file. */
  readonly lines: readonly LogLine[]
  readonly targets: readonly Target[]
}

export interface Target {
  readonly user: string
  readonly item: string
}

export async function readLines(path: string): Promise<string[]> {
  const input = createReadStream(path).pipe(createGunzip())
  const lines: string[] = []
  for await (const line of createInterface({ input })) if (line !== '') lines.push(line)
  return lines
}

/**
 * `test` holds out the last item of each user. `validation` excludes that item and holds out the one
 * before it.
 */
export function holdOut(all: readonly LogLine[], split: SplitName): HeldOut {
  const byUser = Map.groupBy(all, ({ user }) => user)
  const left = new Set<LogLine>()
  const targets: Target[] = []
  const back = split === 'test' ? 1 : 2
  for (const lines of byUser.values()) {
    const sorted = lines.toSorted((a, b) => a.time - b.time)
    if (sorted.length <= back) continue
    const newest = sorted.slice(-back)
    for (const line of newest) left.add(line)
    targets.push({ user: newest[0]!.user, item: newest[0]!.item })
  }
  return { lines: all.filter((line) => !left.has(line)), targets }
}
