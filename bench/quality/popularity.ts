// The baseline of every row: the items with the most interactions, without those in the user's history.

import type { LogLine, Target } from './hold-out.ts'

export function createPopularity(lines: readonly LogLine[]) {
  const counts = new Map<string, number>()
  const histories = new Map<string, Set<string>>()
  for (const { user, item } of lines) {
    counts.set(item, (counts.get(item) ?? 0) + 1)
    if (!histories.has(user)) histories.set(user, new Set())
    histories.get(user)!.add(item)
  }
  const ranking = [...counts.keys()].toSorted((a, b) => counts.get(b)! - counts.get(a)!)
  return {
    items: counts.size,
    slate({ user }: Target, count: number): string[] {
      const history = histories.get(user)
      const slate: string[] = []
      for (const item of ranking) {
        if (slate.length === count) break
        if (!history?.has(item)) slate.push(item)
      }
      return slate
    },
  }
}
