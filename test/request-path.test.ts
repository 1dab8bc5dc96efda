// The files that run during one warm request: docs/lifecycle.md lists them, and their number is limited.

import { expect, it } from 'vitest'
import { run } from '../scripts/checkout.ts'
import { documentedPaths } from '../scripts/request-path.ts'

/** `limit` is the current number; lower it whenever a path gets shorter. */
const limits = { recommend: { limit: 35, goal: 35 }, record: { limit: 13, goal: 20 } } as const

it('one request runs in few files, which docs/lifecycle.md lists', () => {
  // In its own process, so that the inspector sees only the threads of the service.
  const printed = run('node', ['scripts/request-path.ts'])
  const [recommend, record] = [...printed.matchAll(/\((\d+) files\)/g)].map(([, count]) =>
    Number(count),
  )
  expect(recommend).toBeLessThanOrEqual(limits.recommend.limit)
  expect(record).toBeLessThanOrEqual(limits.record.limit)
  expect(printed.match(/`service\/log\/journal\.ts`/g)).toHaveLength(3)
  expect(documentedPaths()).toBe(printed.trim())
}, 60_000)
