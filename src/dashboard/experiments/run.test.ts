import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { Job } from '../../service/index.ts'
import { hasFigures, runOf } from './run.ts'

const job = (settings: unknown, data?: unknown): Job => ({
  id: 'a',
  state: 'running',
  request: { kind: 'race', settings },
  created: 0,
  ended: null,
  progress: { share: 0, message: '', data },
})

describe('a job as a run', () => {
  it('has its world, its methods by name, and its length', () => {
    const settings = {
      world: 'syn-s',
      methods: ['ren-g', { name: 'mine', method: 'gru4rec' }],
      seeds: [4, 7],
      worldSettings: { steps: 50 },
    }
    expect(runOf(job(settings))).toMatchObject({
      world: 'syn-s',
      methods: ['ren-g', 'mine'],
      extent: 'seeds [4,7] · 50 steps',
      result: null,
    })
  })

  it('has results as soon as one of its runs has ended', () => {
    const data = { summary: { methods: [{}], comparisons: [] }, failures: [] }
    expect(hasFigures(runOf(job({ world: 'syn-s' }, data)))).toBe(true)
    expect(hasFigures(runOf(job({ world: 'syn-s' })))).toBe(false)
  })

  it('can be shown with any settings', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (settings, data) => {
        const { world, methods, extent } = runOf(job(settings, data))
        expect([world, extent, ...methods].every((each) => typeof each === 'string')).toBe(true)
      }),
    )
  })
})
