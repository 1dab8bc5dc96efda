import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../storage/index.ts'
import type { EventStore, StoredEvent } from '../storage/index.ts'
import { createFollower } from './follower.ts'
import type { Notice } from './settings.ts'

const forgotten = { event: { kind: 'user-forgotten', time: 0 } } as const

async function append(store: EventStore, count: number): Promise<StoredEvent[]> {
  const { results } = await store.append(Array.from({ length: count }, () => forgotten))
  return results.map(({ position }) => ({ ...forgotten, position }))
}

function follow(store: EventStore, position = 0) {
  const applied: number[] = []
  const notices: Notice[] = []
  const follower = createFollower({
    store,
    position,
    skipDamaged: false,
    notice: (notice) => notices.push(notice),
    apply: (events) => applied.push(...events.map((event) => event.position)),
  })
  return { follower, applied, notices }
}

describe('a follower', () => {
  it('applies every event once and in order, whoever wrote it and however it is told', async () => {
    const writes = fc.array(
      fc.record({ count: fc.integer({ min: 1, max: 3 }), own: fc.boolean(), late: fc.boolean() }),
      { maxLength: 12 },
    )
    await fc.assert(
      fc.asyncProperty(writes, async (list) => {
        const store = createMemoryStore()
        const { follower, applied } = follow(store)
        const late: StoredEvent[][] = []
        for (const { count, own, late: isLate } of list) {
          const events = await append(store, count)
          if (own && isLate) late.push(events)
          else if (own) follower.committed(events)
        }
        for (const events of late.toReversed()) follower.committed(events)
        await follower.catchUp()
        const head = await store.head()
        await follower.reached(head, 1000)
        expect(applied).toEqual(Array.from({ length: head }, (_, i) => i + 1))
        expect(follower.position).toBe(head)
        await follower.close()
      }),
      { numRuns: 50 },
    )
  })

  it('applies its own commits at once where nothing lies between', async () => {
    const store = createMemoryStore()
    const { follower, applied } = follow(store)
    follower.committed(await append(store, 2))
    expect(applied).toEqual([1, 2])
    await append(store, 1)
    const events = await append(store, 1)
    follower.committed(events)
    expect(applied).toEqual([1, 2])
    await follower.reached(4)
    expect(applied).toEqual([1, 2, 3, 4])
    await follower.close()
  })

  it('notices the writes of others while nothing happens', async () => {
    const store = createMemoryStore()
    const { follower, applied } = follow(store)
    follower.start()
    await append(store, 2)
    await expect.poll(() => applied, { timeout: 3000 }).toEqual([1, 2])
    await follower.close()
    await append(store, 1)
    expect(applied).toEqual([1, 2])
  })

  it('does not read that a user is gone while it may be about to be told who', async () => {
    const store = createMemoryStore()
    const { follower, applied } = follow(store)
    const feedback = { kind: 'feedback', user: 'ann', item: 'a', reward: 1, time: 0 } as const
    await store.append([{ event: feedback }])
    const release = follower.holdForgotten()
    const own = await append(store, 1)
    await follower.catchUp()
    expect(applied).toEqual([1])
    release()
    follower.committed(own)
    expect(applied).toEqual([1, 2])
    await append(store, 1)
    await follower.catchUp()
    expect(applied).toEqual([1, 2, 3])
    await follower.close()
  })

  it('does not wait for ever', async () => {
    const { follower } = follow(createMemoryStore())
    await expect(follower.reached(1, 20)).rejects.toMatchObject({ code: 'not-caught-up' })
    await follower.close()
  })

  it('says once why the log cannot be read, and goes on when it can', async () => {
    let broken = true
    const inner = createMemoryStore()
    const store: EventStore = {
      ...inner,
      read: (...args) => {
        if (broken) throw new Error('no such device')
        return inner.read(...args)
      },
    }
    await append(store, 2)
    const { follower, applied, notices } = follow(store)
    await follower.catchUp()
    await follower.catchUp()
    expect(follower.failure?.message).toBe('no such device')
    expect(notices).toEqual([
      { level: 'error', message: 'the log cannot be read after event 0: no such device' },
    ])
    broken = false
    await follower.catchUp()
    expect(follower.failure).toBeNull()
    expect(applied).toEqual([1, 2])
    await follower.close()
  })
})
