// Writes until the disk is full, then reports which calls still work. full-disk.ts runs it with a limit.

import { RenError } from 'ren-recommender'
import { openService } from 'ren-recommender/service'
import { serviceSettings } from './settings.ts'

/** The JSON output of the program. */
export interface LimitedReport {
  readonly acknowledged: readonly string[]
  readonly refusedWith: string
  readonly readyAfter: boolean
  readonly problems: readonly string[]
  /** The number of items in a recommendation after writing fails. */
  readonly stillServed: number
}

if (import.meta.main) {
  const service = await openService({
    ...serviceSettings(process.argv[2]!),
    learning: { enabled: false },
  })
  await service.items.put(Array.from({ length: 50 }, (_, item) => ({ item: `item ${item}` })))
  const acknowledged: string[] = []
  let refusedWith = ''
  for (let count = 0; refusedWith === ''; count++) {
    const batch = Array.from({ length: 100 }, (_, place) => ({
      id: `event ${count}.${place}`,
      user: `user ${place}`,
      item: `item ${place % 50}`,
    }))
    try {
      await service.record(batch)
      acknowledged.push(...batch.map(({ id }) => id))
    } catch (error) {
      if (!(error instanceof RenError)) throw error
      refusedWith = error.code
    }
  }
  const { items } = await service.recommend({ user: 'user 1', count: 3 })
  const { ready, problems } = service.health()
  const report: LimitedReport = {
    acknowledged,
    refusedWith,
    readyAfter: ready,
    problems,
    stillServed: items.length,
  }
  process.stdout.write(JSON.stringify(report), () => process.exit(0))
}
