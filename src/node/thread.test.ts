import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'

import type { calls } from '../../test/thread-calls.ts'
import { Thread } from './thread.ts'

let threads: Thread<typeof calls>[] = []
afterEach(async () => {
  await Promise.all(threads.map((thread) => thread.end()))
  threads = []
})

function start(onExit?: (reason: Error) => void): Thread<typeof calls> {
  const worker = new Worker(new URL('../../test/thread-calls.ts', import.meta.url))
  const thread = new Thread<typeof calls>(worker, 'the test thread', onExit)
  threads.push(thread)
  return thread
}

describe('a thread', () => {
  it('answers each call, in any order', async () => {
    const thread = start()
    const slow = thread.call('later', { ms: 50, value: 'slow' })
    const fast = thread.call('double', 21)
    expect(await Promise.race([slow, fast])).toBe(42)
    expect(await slow).toBe('slow')
  })

  it('reports progress before the answer', async () => {
    const shares: number[] = []
    const onProgress = ({ share }: { share: number }): void => void shares.push(share)
    expect(await start().call('count', 4, { onProgress })).toBe(4)
    expect(shares).toEqual([0.25, 0.5, 0.75, 1])
  })

  it('cancels a call by its signal, also by a signal that is already aborted', async () => {
    const thread = start()
    const controller = new AbortController()
    const { signal } = controller
    const running = thread.call('untilCanceled', null, { signal })
    controller.abort()
    expect(await running).toBe('canceled')
    expect(await thread.call('untilCanceled', null, { signal })).toBe('canceled')
  })

  it('passes on errors with their code, path and details, and continues', async () => {
    const thread = start()
    await expect(thread.call('refuse', 'ren')).rejects.toMatchObject({
      name: 'RenError',
      code: 'plan-invalid',
      message: 'count must be at least 1, got 0',
      path: 'count',
      details: { minimum: 1 },
    })
    const plain = await thread.call('refuse', 'plain').catch((error: unknown) => error)
    expect(plain).toBeInstanceOf(Error)
    expect(plain).toMatchObject({ message: 'not a function' })
    expect(plain).not.toHaveProperty('code')
    expect(await thread.call('double', 1)).toBe(2)
  })

  it('transfers memory both ways', async () => {
    const thread = start()
    const { bytes } = await thread.call('fill', { length: 1000, value: 3 })
    expect(bytes).toHaveLength(1000)
    expect(await thread.call('sum', bytes, { transfer: [bytes.buffer] })).toBe(3000)
    expect(bytes).toHaveLength(0)
  })

  it('transfers the memory of progress, also in background calls', async () => {
    const received: number[] = []
    const onProgress = (bytes: Uint8Array): void => void received.push(bytes.length)
    const left = await start().call('reportBytes', 1000, { onProgress, background: true })
    expect([left, ...received]).toEqual([0, 1000])
  })

  it('rejects all calls when it stops, and reports the failure once', async () => {
    const deaths: string[] = []
    const thread = start(({ message }) => deaths.push(message))
    const waiting = thread.call('later', { ms: 60_000, value: '' })
    void thread.call('exit', 7).catch(() => {})
    await expect(waiting).rejects.toMatchObject({ code: 'worker-failed' })
    await expect(thread.call('double', 1)).rejects.toThrow('the test thread stopped')
    expect(thread.isAlive()).toBe(false)
    expect(deaths).toEqual(['the test thread stopped: it exited with code 7'])
  })

  it('ends on request without reporting a failure', async () => {
    const deaths: unknown[] = []
    const thread = start((reason) => deaths.push(reason))
    const refused = thread.call('untilCanceled', null).catch((error: unknown) => error)
    await thread.end()
    expect(await refused).toMatchObject({ code: 'worker-failed' })
    expect(deaths).toEqual([])
  })
})
