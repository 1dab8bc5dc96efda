// The files that one warm request passes through: docs/lifecycle.md lists them, and they stay few.

import { expect, it } from 'vitest'
import { run } from '../scripts/checkout.ts'
import { documentedPaths } from '../scripts/request-path.ts'

/** `limit` is what the source keeps to today; lower it whenever a path gets shorter. */
const limits = { recommend: { limit: 42, goal: 35 }, record: { limit: 58, goal: 20 } } as const

it('one request runs in few files, which docs/lifecycle.md lists', () => {
  // In a process of its own, whose threads the inspector can follow.
  const printed = run('node', ['scripts/request-path.ts'])
  const [recommend, record] = [...printed.matchAll(/\((\d+) files\)/g)].map(([, count]) =>
    Number(count),
  )
  expect(recommend).toBeLessThanOrEqual(limits.recommend.limit)
  expect(record).toBeLessThanOrEqual(limits.record.limit)
  expect(printed.match(/`service\/log\/journal\.ts`/g)).toHaveLength(2)
  expect(documentedPaths()).toBe(printed.trim())
}, 60_000)
