// The service under load, in its own process so that its CPU time can be measured. It sends the port to
// its parent, and its CPU time and memory on request.

import { createServer, openService } from '../../src/service/index.ts'
import type { MaxPerUser, TrainOutcome } from '../../src/service/index.ts'
import type { MethodSettings } from '../../src/recommender/index.ts'
import { openSqliteStore } from '../../src/storage/index.ts'

export interface ServerTask {
  readonly store: string
  readonly learning: boolean
  /** Whether full training runs start. Defaults to true. */
  readonly fullTraining?: boolean
  /** If false, every call to the store is a separate commit. */
  readonly groupCommit: boolean
  /** Settings of the method, in addition to the defaults. */
  readonly settings?: MethodSettings
  readonly maxPerUser?: Partial<MaxPerUser>
  /** Defaults to the setting of the service. */
  readonly relevance?: 'blend' | 'model'
}

export type Question = 'usage' | 'learn' | 'updates' | 'close'

export interface Usage {
  /** Milliseconds of CPU time of all threads since the start. */
  readonly cpuMs: number
  readonly residentBytes: number
}

async function main(task: ServerTask): Promise<void> {
  const started = performance.now()
  const store = await openSqliteStore(task.store, { groupCommit: task.groupCommit })
  const service = await openService({
    store,
    variants: [{ name: 'ren', method: 'ren-g', settings: { dimension: 32, ...task.settings } }],
    learning: { enabled: task.learning, fullTraining: { enabled: task.fullTraining ?? true } },
    ...(task.maxPerUser && { maxPerUser: task.maxPerUser }),
    ...(task.relevance && { relevance: task.relevance }),
  })
  const readyMs = performance.now() - started
  const updates: TrainOutcome[] = []
  service.subscribe((event) => {
    if (event.kind === 'learning') updates.push(event.outcome)
  })
  const server = await createServer(service, { rateLimit: false })
  const { port } = new URL(await server.listen({ port: 0 }))
  process.on('message', async (question: Question) => {
    if (question === 'usage') process.send!(usageNow())
    if (question === 'learn') process.send!(await service.model.train())
    if (question === 'updates') process.send!(updates)
    if (question !== 'close') return
    await server.close()
    await service.close()
    await store.close()
    process.disconnect()
  })
  process.send!({ port: Number(port), readyMs })
}

function usageNow(): Usage {
  const { user, system } = process.cpuUsage()
  return { cpuMs: (user + system) / 1000, residentBytes: process.memoryUsage.rss() }
}

await main(JSON.parse(process.argv[2]!) as ServerTask)
