import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'

import { closeServices, startService } from '../../../test/services.ts'
import { temporaryFiles } from '../../../test/temporary-files.ts'
import { createMemoryStore, type StoredEvent } from '../../storage/index.ts'
import { HeldMetrics, LiveMetrics } from '../metrics/live-metrics.ts'
import { TailReview } from './review-tail.ts'
import type { Service } from '../service.ts'

closeServices()
const { folder } = temporaryFiles()

async function serve(service: Service, users: readonly string[]): Promise<void> {
  for (const user of users) {
    const { recommendationId, items } = await service.recommend({ user, count: 2 })
    const answer = { user, recommendationId: recommendationId! }
    await service.record([{ ...answer, item: items[0]!.item, reward: 0.5 }])
  }
}

const figuresOf = (service: Service) => ({
  metrics: service.metrics(),
  versions: service.model.current().map(({ version, slates, reward }) => [version, slates, reward]),
})

describe('the review of the last events after a start', () => {
  it('restores the figures', async () => {
    const store = createMemoryStore()
    const first = (await startService({ store })).service
    await serve(first, ['ann', 'bob', 'cem'])
    const { recommendationId, items } = await first.recommend({ user: 'dan', count: 1 })
    await expect.poll(() => first.position).toBe(8)
    const before = figuresOf(first)
    expect(before.versions).toEqual([[0, 4, 0.375]])
    await first.close()
    const { service } = await startService({ store })
    await expect.poll(() => figuresOf(service)).toEqual(before)
    // Feedback on an earlier slate finds it.
    const answer = { user: 'dan', recommendationId: recommendationId! }
    await service.record([{ ...answer, item: items[0]!.item, reward: 0.5 }])
    const after = [{ slates: 4, reward: 0.5, clickRate: 1 }]
    await expect.poll(() => service.metrics().variants).toMatchObject(after)
  })

  it('counts old events before events that arrive meanwhile', async () => {
    const store = createMemoryStore()
    const first = (await startService({ store })).service
    const everybody = Array.from({ length: 1200 }, (_, i) => `user ${i}`)
    for (const user of everybody) await first.recommend({ user, count: 1 })
    await first.close()
    const { service } = await startService({ store })
    await serve(service, ['ann'])
    // The figures cover the last 1,000 slates: live ones stay, and the oldest ones are dropped.
    await expect.poll(() => service.model.current()[0]!.slates).toBe(1201)
    expect(service.metrics().variants).toMatchObject([{ slates: 1000, clickRate: 1 / 1000 }])
  })

  it('reports damage that a saved state covers, and the service still serves', async () => {
    const path = join(folder, 'damaged.db')
    const first = (await startService({ store: path })).service
    await first.record(['a', 'b', 'c'].map((item) => ({ user: 'ann', item })))
    await first.close()
    const database = new DatabaseSync(path)
    database.exec(`UPDATE events SET payload = '{"kind":' WHERE position IN (3, 4)`)
    database.close()
    const { service, logMessages } = await startService({ store: path })
    const problems = ['event 3 of the log is damaged and 1 after it']
    await expect.poll(() => service.health()).toMatchObject({ ready: true, problems })
    expect(logMessages).toEqual(
      [3, 4].map((position) => ({
        level: 'error',
        message: expect.stringMatching(`^event ${position} of the log is damaged: `),
      })),
    )
    expect(service.users.get('ann')?.history).toHaveLength(3)
    await service.close()
    const skipping = await startService({ store: path, skipDamaged: true })
    await expect.poll(() => skipping.logMessages).toEqual(logMessages)
    expect(skipping.service.health()).toMatchObject({ ready: true, problems: [] })
  })

  it('covers the last events of the state, and stops when the service closes', async () => {
    const store = createMemoryStore()
    const event = { kind: 'interaction', user: 'ann', item: 'a', reward: 1, time: 0 } as const
    await store.append(Array.from({ length: 2000 }, () => ({ event })))
    const read: number[] = []
    const review = (upTo: number, length?: number) =>
      new TailReview({
        store,
        upTo,
        ...(length !== undefined && { length }),
        metrics: new HeldMetrics(new LiveMetrics({ variants: [], clock: () => 0 })),
        measure: ({ position }: StoredEvent) => read.push(position),
        skipDamaged: false,
        logMessage: ({ message }) => expect.unreachable(message),
      })
    review(1500, 4)
    await expect.poll(() => read).toEqual([1497, 1498, 1499, 1500])
    read.length = 0
    await review(2000).close()
    expect(read.length).toBeLessThan(2000)
  })

  it('logs an error if the log cannot be read', async () => {
    const store = createMemoryStore()
    await store.append([{ event: { kind: 'user-erased', time: 0 } }])
    await store.close()
    const messages: string[] = []
    const metrics = new HeldMetrics(new LiveMetrics({ variants: [], clock: () => 0 }))
    const review = new TailReview({
      store,
      upTo: 1,
      metrics,
      measure: () => {},
      skipDamaged: false,
      logMessage: ({ message }) => messages.push(message),
    })
    await review.close()
    expect(review.problems).toEqual([expect.stringMatching(/^the log up to event 1 cannot be/)])
    expect(messages).toEqual(review.problems)
    expect(metrics.isHeld).toBe(false)
  })
})
