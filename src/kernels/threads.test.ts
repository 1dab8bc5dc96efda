import { describe, expect, it } from 'vitest'

import { spawnKernelWorker } from '../node/spawn-kernel-worker.ts'
import { createArena, createMemory } from './arena.ts'
import { compileModule, instantiate } from './simd.ts'
import type { SimdExports } from './simd.ts'
import { BOARD_BYTES, CLAIMS, createThreadPool, JOBS, openBoard } from './threads.ts'
import type { SpawnWorker } from './threads.ts'

const [rows, columns, beyond] = [3000, 16, 2 ** 31]

interface PoolCase {
  readonly spawn?: SpawnWorker
  readonly activeThreads?: number
  /** Runs in the calling thread before each of its parts. */
  readonly beforeOwnPart?: (words: Int32Array) => void
}

/** A pool with one worker, and a call of dotRows that is long enough for two parts. */
async function openPool({ spawn, activeThreads = 2, beforeOwnPart }: PoolCase) {
  const arena = createArena(createMemory(true))
  const { memory } = arena
  const module = await compileModule('simd128', true)
  const exports = instantiate(module, memory)
  const scratch = arena.reserve('scratch', exports.scratchBytes())
  const address = arena.reserve('board', BOARD_BYTES)
  const [x, vector, out] = [
    arena.matrix('x', rows, columns),
    arena.vector('vector', columns),
    arena.vector('out', rows),
  ]
  for (let row = 0; row < rows; row++) x.values[row * columns] = row
  vector.values[0] = 2

  let ended = 0
  const idle: SpawnWorker = async () => ({ terminate: () => void (ended += 1) })
  const worker = await (spawn ?? idle)({ module, memory, scratch, board: address, index: 0 })
  const board = openBoard(memory, address)
  const ranges: (readonly number[])[] = []
  const dotRows: SimdExports['dotRows'] = (...args) => {
    ranges.push(args.slice(5))
    beforeOwnPart?.(board.words)
    exports.dotRows(...args)
  }
  const own = { ...exports, dotRows }
  const pool = createThreadPool(own, board, [worker], () => activeThreads, 1)
  return {
    ranges,
    words: board.words,
    ended: () => ended,
    close: () => pool.close(),
    call(matrix = x.address) {
      out.values.fill(0)
      pool.kernels.dotRows(rows, columns, matrix, vector.address, out.address)
      return [...out.values]
    },
  }
}

const doubled = Array.from({ length: rows }, (_, row) => 2 * row)
const bothParts = [
  [1500, 3000],
  [0, 1500],
]
const failed = (message: string) =>
  expect.objectContaining({ code: 'worker-failed', message: expect.stringContaining(message) })

/** Waits until another thread has claimed the first part, however busy the machine is. */
function waitForClaim(words: Int32Array): void {
  while (Atomics.load(words, CLAIMS) === 1);
}

describe('a pool', () => {
  it('does not wait for a worker that takes no part', async () => {
    const { call, ranges } = await openPool({})
    expect(call()).toEqual(doubled)
    expect(ranges).toEqual(bothParts)
  })

  it('leaves a part to its worker', async () => {
    const pool = await openPool({ spawn: spawnKernelWorker, beforeOwnPart: waitForClaim })
    expect(pool.call()).toEqual(doubled)
    expect(pool.ranges).toEqual(bothParts.slice(0, 1))
    pool.close()
  })

  it('posts nothing while one thread is active', async () => {
    const { call, ranges, words } = await openPool({ activeThreads: 1 })
    expect(call()).toEqual(doubled)
    expect(ranges).toEqual([[]])
    expect(words[JOBS]).toBe(0)
  })

  it('stops a worker that does not finish its part, and then fails at once', async () => {
    const claim = (words: Int32Array): void => void Atomics.store(words, CLAIMS, 0)
    const { call, ended } = await openPool({ beforeOwnPart: claim })
    expect(call).toThrow(failed('has stopped answering'))
    expect(ended()).toBe(1)
    expect(call).toThrow(failed('dotRows: a kernel thread failed earlier; create a new engine'))
  })

  it('sends nothing to a worker that has ended', async () => {
    const spawn = async () => ({ terminate: () => {}, isAlive: () => false })
    const { call } = await openPool({ spawn })
    expect(call).toThrow(failed('has ended'))
  })

  it('reports a part that trapped', async () => {
    const pool = await openPool({ spawn: spawnKernelWorker, beforeOwnPart: waitForClaim })
    expect(() => pool.call(beyond)).toThrow(failed('a kernel thread trapped'))
    expect(() => pool.call()).toThrow(failed('failed earlier'))
    pool.close()
  })
})
