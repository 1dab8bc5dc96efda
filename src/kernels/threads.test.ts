import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { spawnKernelWorker } from '../node/spawn-kernel-worker.ts'
import { createArena, createMemory } from './arena.ts'
import { MAILBOX_BYTES, createThreadPool, cutRows } from './threads.ts'
import { compileModule, instantiate } from './simd.ts'
import type { SpawnWorker } from './threads.ts'

describe('cutting rows', () => {
  it('covers every row once, in order, with at most one range per thread', () => {
    fc.assert(
      fc.property(fc.nat(5000), fc.integer({ min: 1, max: 9 }), (rows, parts) => {
        const cuts = cutRows(rows, parts)
        expect(cuts[0]).toBe(0)
        expect(cuts.at(-1)).toBe(rows)
        expect(cuts.length - 1).toBeLessThanOrEqual(parts)
        for (let i = 1; i < cuts.length; i++) expect(cuts[i]).toBeGreaterThanOrEqual(cuts[i - 1]!)
      }),
    )
  })
})

describe('a pool', () => {
  const failed = (message: string | RegExp) =>
    expect.objectContaining({ code: 'worker-failed', message: expect.stringMatching(message) })

  /** A pool of one worker; the caller's own share of dotRows is nothing. */
  async function openPool(spawn: SpawnWorker, taking = 1) {
    const arena = createArena(createMemory(true))
    const module = await compileModule('simd128', true)
    const own = { ...instantiate(module, arena.memory), dotRows: () => {} }
    const scratch = arena.reserve('scratch', own.scratchBytes())
    const mailbox = arena.reserve('mailbox', MAILBOX_BYTES)
    const worker = await spawn({ module, memory: arena.memory, scratch, mailbox })
    return createThreadPool(arena.memory, own, [mailbox], [worker], { taking, working: 100 })
  }

  it('stops a worker that does not answer, and then fails at once', async () => {
    let ended = 0
    const pool = await openPool(async () => ({ terminate: () => void (ended += 1) }))
    const call = () => pool.kernels.dotRows(24, 1, 0, 0, 0)
    expect(call).toThrow(failed('has stopped answering'))
    expect(ended).toBe(1)
    expect(call).toThrow(failed('dotRows: a kernel thread failed earlier; create a new engine'))
  })

  it('sends nothing to a worker that has ended', async () => {
    const pool = await openPool(async () => ({ terminate: () => {}, isAlive: () => false }))
    expect(() => pool.kernels.dotRows(24, 1, 0, 0, 0)).toThrow(failed('has ended'))
  })

  it('reports a worker that trapped', async () => {
    const pool = await openPool(spawnKernelWorker, 100)
    const [rows, columns, beyond] = [24, 1, 2 ** 31]
    expect(() => pool.kernels.dotRows(rows, columns, beyond, beyond, beyond)).toThrow(
      failed('a kernel thread trapped'),
    )
    expect(() => pool.kernels.dotRows(rows, columns, 0, 0, 0)).toThrow(failed('failed earlier'))
    pool.close()
  })
})
