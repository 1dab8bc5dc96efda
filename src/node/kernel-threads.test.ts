import { setTimeout as delay } from 'node:timers/promises'

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import type { Engine, KernelWorker, WorkerStart } from '../kernels/index.ts'
import { spawnKernelWorker } from './spawn-kernel-worker.ts'

describe.each(['relaxed-simd', 'simd128'] as const)('%s on three threads', (kernel) => {
  let engines: readonly Engine[]
  beforeAll(async () => {
    engines = [
      await createEngine({ kernel }),
      await createEngine({ kernel, threads: 3, spawnWorker: spawnKernelWorker }),
    ]
  })
  afterAll(() => {
    for (const engine of engines) engine.close()
  })

  const random = (engine: Engine, name: string, rows: number, columns: number, seed: number) => {
    const stream = createRandom(seed).fork(name)
    const tensor = engine.matrix(name, rows, columns)
    for (let i = 0; i < rows * columns; i++) tensor.values[i] = stream.normal()
    return tensor
  }
  const shape = fc.record({
    rows: fc.integer({ min: 1, max: 150 }),
    columns: fc.integer({ min: 1, max: 40 }),
    inner: fc.integer({ min: 1, max: 300 }),
    transposeA: fc.boolean(),
    transposeB: fc.boolean(),
    seed: fc.integer(),
  })

  it('multiplies to the same bits as on one thread', () => {
    fc.assert(
      fc.property(shape, ({ rows, columns, inner, transposeA, transposeB, seed }) => {
        const [one, three] = engines.map((engine) =>
          engine.scope((temporary) => {
            const on = { ...engine, ...temporary }
            const a = random(on, 'a', transposeA ? inner : rows, transposeA ? rows : inner, seed)
            const b = random(
              on,
              'b',
              transposeB ? columns : inner,
              transposeB ? inner : columns,
              seed,
            )
            const out = temporary.matrix('out', rows, columns)
            engine.operations.multiply({ a, b, out, transposeA, transposeB })
            return [...out.values]
          }),
        )
        expect(three).toEqual(one)
      }),
      { numRuns: 40 },
    )
  })

  it('scores all rows to the same bits as on one thread', () => {
    const [one, three] = engines.map((engine) => {
      const x = random(engine, 'x', 1001, 33, 5)
      const vector = random(engine, 'vector', 1, 33, 5)
      const whitening = random(engine, 'whitening', 33, 33, 5)
      const results: number[] = []
      const row = engine.vector('row', 1001)
      engine.operations.dotRows({ x, vector, out: row })
      results.push(...row.values)
      engine.operations.rowNorms({ x, out: row })
      results.push(...row.values)
      engine.operations.quadraticForms({ x, whitening, out: row })
      results.push(...row.values)
      engine.operations.rankOneUpdate({ scale: 0.1, x, direction: vector, forms: row })
      results.push(...row.values)
      const [norms, uncertainty] = [engine.vector('norms', 1001), row]
      const weights = { diversityWeight: 0.7, uncertaintyWeight: 0.2 }
      const bounds = engine.vector('bounds', 1001)
      engine.operations.rowNorms({ x, out: norms })
      engine.operations.scoreBounds({
        ...weights,
        items: x,
        user: vector,
        norms,
        uncertainty,
        bounds,
      })
      results.push(...bounds.values)
      return results
    })
    expect(three).toEqual(one)
  })

  it('continues after the memory grew between two calls', () => {
    const engine = engines[1]!
    const a = random(engine, 'a', 40, 8, 1)
    const b = random(engine, 'b', 8, 8, 1)
    const [before, after] = [engine.matrix('before', 40, 8), engine.matrix('after', 40, 8)]
    engine.operations.multiply({ a, b, out: before })
    engine.matrix('large', 3000, 3000)
    engine.operations.multiply({ a, b, out: after })
    expect([...after.values]).toEqual([...before.values])
  })
})

describe('a closed engine', () => {
  it('refuses to multiply, and closing it again has no effect', async () => {
    const engine = await createEngine({ threads: 2, spawnWorker: spawnKernelWorker })
    const square = (name: string) => engine.matrix(name, 64, 64)
    const args = { a: square('a'), b: square('b'), out: square('out') }
    engine.operations.multiply(args)
    engine.close()
    engine.close()
    expect(() => engine.operations.multiply(args)).toThrow(
      expect.objectContaining({ code: 'use-after-free' }),
    )
  })
})

describe('an idle engine', () => {
  it('takes no time of the processor', async () => {
    const engine = await createEngine({ threads: 3, spawnWorker: spawnKernelWorker })
    const square = (name: string) => engine.matrix(name, 128, 128)
    engine.operations.multiply({ a: square('a'), b: square('b'), out: square('out') })
    const busyShare = async (): Promise<number> => {
      const [start, before] = [performance.now(), process.cpuUsage()]
      await delay(200)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000 / (performance.now() - start)
    }
    // Two spinning threads would take twice the elapsed time.
    await expect.poll(busyShare, { timeout: 5000 }).toBeLessThan(0.2)
    engine.close()
  })
})

describe('a thread that ends', () => {
  const openTwo = async () => {
    const workers: KernelWorker[] = []
    const spawnWorker = async (start: WorkerStart): Promise<KernelWorker> => {
      const worker = await spawnKernelWorker(start)
      workers.push(worker)
      return worker
    }
    const engine = await createEngine({ threads: 2, spawnWorker })
    const [x, out] = [engine.matrix('x', 6400, 8), engine.vector('out', 6400)]
    return { engine, worker: workers[0]!, call: () => engine.operations.rowNorms({ x, out }) }
  }
  const failed = expect.objectContaining({ code: 'worker-failed' })

  it('makes the next call fail at once', async () => {
    const { engine, worker, call } = await openTwo()
    call()
    expect(worker.isAlive?.()).toBe(true)
    worker.terminate()
    await expect.poll(() => worker.isAlive?.()).toBe(false)
    expect(call).toThrow(failed)
    expect(call).toThrow(failed)
    engine.close()
  })

  it('rejects the promise if it ends before it is ready', async () => {
    const start = {
      module: null,
      memory: null,
      scratch: 0,
      board: 0,
      index: 0,
    } as unknown as WorkerStart
    await expect(spawnKernelWorker(start)).rejects.toEqual(failed)
  })
})
