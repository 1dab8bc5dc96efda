import { describe, expect, it } from 'vitest'

import { createEngine } from './engine.ts'
import type { EngineOptions } from './engine.ts'
import type { KernelWorker, SpawnWorker } from './threads.ts'

const refusal = (options: unknown) =>
  createEngine(options as EngineOptions).then(
    () => expect.fail('it was accepted'),
    (error: unknown) => error,
  )
const code = (value: string) => expect.objectContaining({ name: 'RenError', code: value })

describe('createEngine', () => {
  it.each([
    null,
    'simd128',
    7,
    { kernel: 'foo' },
    { kernel: 5 },
    { kernel: 'toString' },
    { threads: 0 },
    { threads: -1 },
    { threads: 1.5 },
    { threads: Number.NaN },
    { threads: '2' },
    { threads: 65, spawnWorker: () => expect.fail('it was called') },
    { threads: 2 },
    { threads: 2, spawnWorker: 'worker.js' },
    { threads: 2, spawnWorker: async () => {} },
    { threads: 2, spawnWorker: async () => ({}) },
    { kernel: 'reference', threads: 2, spawnWorker: () => expect.fail('it was called') },
  ])('refuses %o', async (options) => {
    expect(await refusal(options)).toEqual(code('invalid-argument'))
  })

  it.each<[string, SpawnWorker]>([
    [
      'throws',
      () => {
        throw new Error('no threads today')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no threads today'))],
  ])('reports the cause if spawnWorker %s', async (_, spawnWorker) => {
    const error = await refusal({ threads: 2, spawnWorker })
    expect(error).toEqual(code('worker-failed'))
    expect(error).toHaveProperty('cause.message', 'no threads today')
  })

  it('stops the started workers if another one fails to start', async () => {
    const ended: number[] = []
    let requested = 0
    const spawnWorker = async (): Promise<KernelWorker> => {
      const me = requested++
      if (me === 1) throw new Error('one too many')
      return { terminate: () => void ended.push(me) }
    }
    expect(await refusal({ threads: 4, spawnWorker })).toEqual(code('worker-failed'))
    expect(ended).toEqual([0, 2])
  })
})

describe.each(['auto', 'reference'] as const)('a closed engine (%s, one thread)', (kernel) => {
  it('refuses computations and allocations', async () => {
    const engine = await createEngine({ kernel })
    const args = { x: engine.matrix('x', 2, 2), out: engine.vector('out', 2) }
    engine.operations.rowNorms(args)
    engine.close()
    engine.close()
    const calls = [
      () => engine.operations.rowNorms(args),
      () => engine.trusted.rowNorms(args),
      () => engine.matrix('more', 1, 1),
      () => args.out.values,
    ]
    for (const call of calls) expect(call).toThrow(code('use-after-free'))
  })
})
