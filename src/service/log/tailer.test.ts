import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { breakableStore } from '../../../test/breakable-store.ts'
import { createMemoryStore, type EventStore, type StoredEvent } from '../../storage/index.ts'
import { createLastCall, spareThreads } from '../training/spare-cores.ts'
import { Tailer } from './tailer.ts'
import type { LogMessage } from '../settings.ts'

const erased = { event: { kind: 'user-erased', time: 0 } } as const

async function append(store: EventStore, count: number): Promise<StoredEvent[]> {
  const { results } = await store.append(Array.from({ length: count }, () => erased))
  return results.map(({ position }) => ({ ...erased, position }))
}

function follow(store: EventStore, position = 0, skipDamaged = false) {
  const applied: number[] = []
  const logMessages: LogMessage[] = []
  const lastCall = createLastCall()
  const tailer = new Tailer({
    store,
    position,
    skipDamaged,
    ended: new AbortController().signal,
    lastCall,
    logMessage: (logMessage) => logMessages.push(logMessage),
    consumers: [{ consume: (events) => applied.push(...events.map(({ position: at }) => at)) }],
  })
  return { tailer, applied, logMessages, lastCall }
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function remaining(references: readonly WeakRef<object>[]): number {
  collectGarbage()
  return references.filter((one) => one.deref() !== undefined).length
}

describe('a tailer', () => {
  it('notes each call, for which training leaves a core', () => {
    const { tailer, lastCall } = follow(createMemoryStore())
    const threads = spareThreads(lastCall, 2)
    expect(threads()).toBe(2)
    tailer.beginRead()
    expect(threads()).toBe(1)
  })

  it('has no lag at the head of a log that is not written', async () => {
    const { tailer } = follow(createMemoryStore())
    await delay(500)
    const before = tailer.lag
    await tailer.applyLatest()
    expect(before).toBeGreaterThan(490)
    expect(tailer.lag).toBeLessThan(before)
  })

  it('applies every event once and in order, whoever wrote it and however it arrives', async () => {
    const writes = fc.array(
      fc.record({ count: fc.integer({ min: 1, max: 3 }), own: fc.boolean(), late: fc.boolean() }),
      { maxLength: 12 },
    )
    await fc.assert(
      fc.asyncProperty(writes, async (list) => {
        const store = createMemoryStore()
        const { tailer, applied } = follow(store)
        const late: StoredEvent[][] = []
        for (const { count, own, late: isLate } of list) {
          const events = await append(store, count)
          if (own && isLate) late.push(events)
          else if (own) tailer.committed(events)
        }
        for (const events of late.toReversed()) tailer.committed(events)
        await tailer.catchUp()
        const head = await store.head()
        await tailer.reached(head, 1000)
        expect(applied).toEqual(Array.from({ length: head }, (_, i) => i + 1))
        expect(tailer.position).toBe(head)
        await tailer.close()
      }),
      { numRuns: 50 },
    )
  })

  it('receives its own commits at once if there is no gap', async () => {
    const store = createMemoryStore()
    const { tailer, applied } = follow(store)
    tailer.committed(await append(store, 2))
    await tailer.received(2)
    expect(applied).toEqual([])
    expect(tailer.position).toBe(0)
    tailer.applyReceived()
    expect(applied).toEqual([1, 2])
    expect(tailer.position).toBe(2)
    await append(store, 1)
    const events = await append(store, 1)
    tailer.committed(events)
    tailer.applyReceived()
    expect(applied).toEqual([1, 2])
    await tailer.received(4)
    expect(applied).toEqual([1, 2, 3, 4])
    await tailer.close()
  })

  it('applies its own commits at the next turn of the event loop', async () => {
    const store = createMemoryStore()
    const { tailer, applied } = follow(store)
    tailer.committed(await append(store, 1))
    tailer.committed(await append(store, 1))
    expect(applied).toEqual([])
    await nextTurn()
    expect(applied).toEqual([1, 2])
    await tailer.close()
  })

  it('applies its own commits before it closes', async () => {
    const store = createMemoryStore()
    const { tailer, applied } = follow(store)
    tailer.committed(await append(store, 1))
    await tailer.close()
    expect(applied).toEqual([1])
  })

  it('polls for events of other processes', async () => {
    const store = createMemoryStore()
    const { tailer, applied } = follow(store)
    tailer.start()
    await append(store, 2)
    await expect.poll(() => applied, { timeout: 3000 }).toEqual([1, 2])
    await tailer.close()
    await append(store, 1)
    expect(applied).toEqual([1, 2])
  })

  it('does not apply an erasure from the log while the name of the user may still arrive', async () => {
    const store = createMemoryStore()
    const { tailer, applied } = follow(store)
    const feedback = { kind: 'interaction', user: 'ann', item: 'a', reward: 1, time: 0 } as const
    await store.append([{ event: feedback }])
    const release = tailer.holdErasures()
    const own = await append(store, 1)
    await tailer.catchUp()
    expect(applied).toEqual([1])
    release()
    tailer.committed(own)
    tailer.applyReceived()
    expect(applied).toEqual([1, 2])
    await append(store, 1)
    await tailer.catchUp()
    expect(applied).toEqual([1, 2, 3])
    await tailer.close()
  })

  it('rejects after a timeout', async () => {
    const { tailer } = follow(createMemoryStore())
    await expect(tailer.reached(1, 20)).rejects.toMatchObject({ code: 'not-caught-up' })
    await tailer.close()
  })

  it('logs once why the log cannot be read, and continues when it can', async () => {
    const { store, setBroken } = breakableStore()
    setBroken(true)
    await append(store, 2)
    const { tailer, applied, logMessages } = follow(store)
    await tailer.catchUp()
    await tailer.catchUp()
    expect(tailer.failure?.message).toBe('no such device')
    expect(logMessages).toEqual([
      { level: 'error', message: 'the log cannot be read after event 0: no such device' },
    ])
    setBroken(false)
    await tailer.catchUp()
    expect(tailer.failure).toBeNull()
    expect(applied).toEqual([1, 2])
    await tailer.close()
  })

  it('resolves for durable events if the log cannot be read, and frees their memory', async () => {
    const { store, setBroken } = breakableStore()
    const { tailer, applied } = follow(store)
    await append(store, 1)
    setBroken(true)
    tailer.committed(await append(store, 1))
    await tailer.applied(2)
    expect(tailer.failure).not.toBeNull()
    const before = performance.now()
    const reported: WeakRef<StoredEvent>[] = []
    for (let i = 0; i < 50; i++) {
      const own = await append(store, 10)
      reported.push(...own.map((event) => new WeakRef(event)))
      tailer.committed(own)
      await tailer.applied(await store.head())
    }
    expect(performance.now() - before).toBeLessThan(900)
    await expect.poll(() => remaining(reported)).toBeLessThanOrEqual(10)
    setBroken(false)
    await tailer.catchUp()
    expect(applied).toEqual(Array.from({ length: 502 }, (_, i) => i + 1))
    await tailer.close()
  })

  it('reports that it is behind the log after a caller has waited in vain', async () => {
    const inner = createMemoryStore()
    const mayRead = Promise.withResolvers<void>()
    const store: EventStore = {
      ...inner,
      async *read(after, options) {
        await mayRead.promise
        yield* inner.read(after, options)
      },
    }
    const { tailer, applied } = follow(store)
    await append(store, 1)
    tailer.committed(await append(store, 1))
    expect(tailer.problems).toEqual([])
    await tailer.received(2)
    expect(tailer.problems).toEqual(['the state is behind the log, of which event 0 is applied'])
    mayRead.resolve()
    await tailer.reached(2)
    expect(applied).toEqual([1, 2])
    await expect.poll(() => tailer.problems).toEqual([])
    await tailer.close()
  })

  it('reaches a position after it has skipped the damage before it', async () => {
    const inner = createMemoryStore()
    const store: EventStore = {
      ...inner,
      async *read(_after, { onDamaged } = {}) {
        yield []
        onDamaged?.(1, 'its checksum does not match')
      },
    }
    await append(store, 1)
    const { tailer, logMessages } = follow(store, 0, true)
    await tailer.reached(1, 1000)
    expect(tailer.position).toBe(1)
    expect(logMessages).toHaveLength(1)
    await tailer.close()
  })

  it('continues after events that could not be applied', async () => {
    const store = createMemoryStore()
    const logMessages: LogMessage[] = []
    const tailer = new Tailer({
      store,
      position: 0,
      skipDamaged: false,
      ended: new AbortController().signal,
      lastCall: createLastCall(),
      logMessage: (logMessage) => logMessages.push(logMessage),
      consumers: [
        {
          consume() {
            throw new Error('no room')
          },
        },
      ],
    })
    tailer.committed(await append(store, 2))
    await append(store, 1)
    await tailer.reached(3, 1000)
    expect(tailer.failure).toBeNull()
    expect(logMessages.map(({ message }) => message)).toEqual([
      'not all events up to 2 were applied: no room',
      'not all events up to 3 were applied: no room',
    ])
    await tailer.close()
  })

  it('rejects at once after it is closed', async () => {
    const { tailer } = follow(createMemoryStore())
    await tailer.close()
    await expect(tailer.reached(1)).rejects.toMatchObject({ code: 'service-closed' })
  })
})
