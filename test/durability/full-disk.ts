// A service with a limited file size: checks its behavior while the disk is full, and afterwards.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { openService } from 'ren-recommender/service'
import { expect } from 'vitest'
import type { LimitedReport } from './limited-writer.ts'
import { serviceSettings } from './settings.ts'

const run = promisify(execFile)

/** `kilobytes` is the maximum file size. Resolves with the number of acknowledged events. */
export async function surviveFullDisk(store: string, kilobytes: number): Promise<number> {
  const command = `trap '' XFSZ; ulimit -f ${kilobytes}; exec "$0" "$1" "$2"`
  const writer = new URL('./limited-writer.ts', import.meta.url).pathname
  const limited = [command, process.execPath, writer, store]
  const { stdout } = await run('bash', ['-c', ...limited], { maxBuffer: 2 ** 26 })
  const report = JSON.parse(stdout) as LimitedReport
  expect(report).toMatchObject({ refusedWith: 'store-failed', readyAfter: false, stillServed: 3 })
  expect(report.problems).not.toEqual([])

  const service = await openService(serviceSettings(store))
  const found = await Promise.all(
    report.acknowledged.map((id) => service.store.event(`feedback ${id}`)),
  )
  expect(found.filter((event) => event === null)).toEqual([])
  expect((await service.record([{ user: 'ann', item: 'item 1' }])).accepted).toBe(1)
  expect(service.health().ready).toBe(true)
  await service.close()
  return report.acknowledged.length
}
