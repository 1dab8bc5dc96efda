// Services for tests: small models, a manual clock, and collected log messages.

import type { LogMessage, Service, ServiceSettings } from 'ren-recommender/service'
import { createMemoryStore } from 'ren-recommender/storage'
import type { EventStore } from 'ren-recommender/storage'
import { afterEach } from 'vitest'
import { openWithGroups } from '../src/service/open-service.ts'
import { describeGroups } from './describe-state.ts'
import type { DescribedGroup } from './describe-state.ts'

export interface TestService {
  readonly service: Service
  readonly logMessages: LogMessage[]
  /** The time of its clock. */
  time: number
}

const open = new Map<Service, readonly DescribedGroup[]>()

/** Closes everything that a test left open. */
export function closeServices(): void {
  afterEach(async () => {
    for (const service of open.keys()) await service.close()
    open.clear()
  })
}

/** By default without training, and with the items a to f if the store has none. */
export async function startService(
  settings: ServiceSettings,
  items: readonly string[] = ['a', 'b', 'c', 'd', 'e', 'f'],
): Promise<TestService> {
  const logMessages: LogMessage[] = []
  const test = { time: 1_000_000, logMessages }
  const { service, groups } = await openWithGroups({
    learning: { enabled: false },
    relevance: 'model',
    variants: [{ name: 'ren', method: 'ren-g', settings: { dimension: 4 } }],
    clock: () => test.time,
    onLogMessage: (logMessage) => logMessages.push(logMessage),
    ...settings,
  })
  open.set(service, groups)
  if (service.items.count === 0 && items.length > 0) {
    await service.items.put(items.map((item) => ({ item })))
  }
  return Object.assign(test, { service })
}

/** A copy of a log in another store, for a replay. */
export async function copyOfLog(store: EventStore): Promise<EventStore> {
  const copy = createMemoryStore()
  for await (const events of store.read(0)) await copy.append(events)
  return copy
}

/** The state of a service that was started here and is still open. */
export function describeState(service: Service): Readonly<Record<string, unknown>> {
  service.health() // applies the events that the service has received
  return describeGroups(open.get(service)!)
}
