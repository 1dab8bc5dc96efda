import { describe, expect, it } from 'vitest'

import type { RunProgress } from '../service/runs.ts'
import { createExperimentRunner, type ExperimentResult } from './experiment-runner.ts'

const runner = createExperimentRunner(1)
const settings = {
  world: 'syn-s',
  worldSettings: { steps: 60 },
  methods: ['random', { name: 'best', method: 'oracle' }],
  seeds: '1..2',
}
const never = new AbortController().signal

describe('experiments of the service', () => {
  it('run each method with each seed, report progress, and compare the methods', async () => {
    const reported: RunProgress[] = []
    const request = { kind: 'race', settings }
    const result = (await runner.start(
      request,
      (progress) => reported.push(progress),
      never,
    )) as ExperimentResult
    const { world, runs, summary, failures } = result
    expect({ world, runs, failures }).toEqual({ world: 'syn-s', runs: 4, failures: [] })
    expect(summary.methods.map(({ method }) => method)).toEqual(['random', 'best'])
    expect(summary.methods[1]!.series['reward']![0]!.count).toBe(2)
    expect(summary.comparisons[0]).toMatchObject({ method: 'best', against: 'random' })
    expect(summary.comparisons[0]!.lower).toBeGreaterThan(0)
    expect(reported.at(-1)).toMatchObject({ share: 1, data: result })
    expect(reported.map(({ share }) => share)).toEqual(
      reported.map(({ share }) => share).toSorted((a, b) => a! - b!),
    )
    expect(JSON.parse(JSON.stringify(result))).toEqual(result)
    expect(reported[0]).toMatchObject({
      share: 0,
      message: 'syn-s    0%  0 of 4 runs  random in syn-s, seed 1',
      done: 0,
      total: 4,
      secondsLeft: null,
      current: 'random in syn-s, seed 1',
    })
    expect(reported.at(-1)).toMatchObject({ done: 4, secondsLeft: 0 })
  })

  it('report the failed runs and continue with the others', async () => {
    // The vectors of this world have another dimension.
    const wide = { name: 'wide', method: 'gru4rec', settings: { dimension: 32 } }
    const worldSettings = { steps: 9 }
    const race = { world: 'cold-content', worldSettings, methods: [wide, 'random'], seeds: '1..2' }
    const reported: RunProgress[] = []
    const result = (await runner.start(
      { kind: 'race', settings: race },
      (progress) => reported.push(progress),
      never,
    )) as ExperimentResult
    expect(result.failures.map(({ run, code }) => [run, code])).toEqual([
      ['wide in cold-content, seed 1', 'shape-mismatch'],
      ['wide in cold-content, seed 2', 'shape-mismatch'],
    ])
    expect(result.summary.methods).toMatchObject([{ method: 'random' }])
    expect(reported.at(-1)).toMatchObject({ share: 1, done: 4, data: result })
  })

  it('stop on request', async () => {
    const controller = new AbortController()
    const long = { ...settings, worldSettings: { steps: 1_000_000 }, methods: ['ren-g'] }
    const stop = (): void => controller.abort()
    await runner.start({ kind: 'race', settings: long }, stop, controller.signal)
    expect(controller.signal.aborted).toBe(true)
  })

  it.each([
    ['another kind', { kind: 'swim', settings }, /kind must be "race", got "swim"/],
    ['no methods', { kind: 'race', settings: { world: 'syn-s' } }, /methods is required/],
    ['an unknown key', { kind: 'race', settings: { ...settings, x: 1 } }, /has no key "x"/],
    [
      'an unknown world',
      { kind: 'race', settings: { ...settings, world: 'x' } },
      /world must be one of/,
    ],
    [
      'an unknown method',
      { kind: 'race', settings: { ...settings, methods: ['x'] } },
      /x in syn-s, seed 1: no method is called x/,
    ],
    [
      'a duplicate method',
      { kind: 'race', settings: { ...settings, methods: ['random', 'random'] } },
      /methods must be unique/,
    ],
    [
      'a file of the server',
      {
        kind: 'race',
        settings: { ...settings, world: 'log', worldSettings: { file: '/etc/hosts' } },
      },
      /log reads a file/,
    ],
  ])('refuse %s before the first run', async (_, request, message) => {
    const reported: RunProgress[] = []
    await expect(
      runner.start(request, (progress) => reported.push(progress), never),
    ).rejects.toThrow(message)
    expect(reported).toEqual([])
  })
})
