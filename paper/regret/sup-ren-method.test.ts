import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { enter, requireContestant } from '../../src/experiments/contestants.ts'
import { createEngine, type Engine } from '../../src/kernels/index.ts'
import { createColdContent, createSyn, run } from '../../src/simulation/index.ts'
import { supRenOf } from './sup-ren-method.ts'

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})
afterAll(() => engine.close())

const method = 'gru4rec+sup-ren'
const known = { names: [], find: supRenOf }

const world = (feedback: 'selected' | 'shown') =>
  createSyn({ seed: 1, repeats: 1, steps: 60, users: 3, feedback })

function slatesOf(name: string, feedback: 'selected' | 'shown', more = {}) {
  const { environment, contestant } = enter(engine, world(feedback), name, more, 7, known)
  return Array.from(run(environment, contestant), ({ slate }) => slate)
}

describe('a model with SupREN', () => {
  it.each(['selected', 'shown'] as const)(
    'runs in a world with the feedback model %s',
    (feedback) => {
      const slates = slatesOf(method, feedback, { scale: 0.01 })
      expect(slates).toHaveLength(60)
      for (const slate of slates) expect(new Set(slate).size).toBe(4)
      expect(slatesOf(method, feedback, { scale: 0.01 })).toEqual(slates)
      expect(slatesOf(method, feedback, { scale: 0.1 })).not.toEqual(slates)
    },
  )

  it('uses the steps of the world as its horizon', () => {
    const usual = slatesOf(method, 'selected', { scale: 0.05 })
    expect(slatesOf(method, 'selected', { scale: 0.05, horizon: 60 })).toEqual(usual)
    expect(slatesOf(method, 'selected', { scale: 0.05, horizon: 1e9 })).not.toEqual(usual)
  })

  it('learns from the reported rewards', () => {
    const shown = slatesOf(method, 'shown', { scale: 0.01 })
    expect(slatesOf(method, 'selected', { scale: 0.01 })).not.toEqual(shown)
  })

  it('starts again for an erased user', () => {
    const play = (erases: boolean) => {
      const { contestant } = enter(engine, world('selected'), method, {}, 7, known)
      const recommend = () => contestant.recommend({ user: 'ann', count: 1 }).items[0]!.item
      const first = recommend()
      contestant.observe({ kind: 'interaction', user: 'ann', item: first, reward: 1, time: 1 })
      if (erases) contestant.observe({ kind: 'user-erased', user: 'ann' })
      return { first, second: recommend() }
    }
    expect(play(true).second).toBe(play(true).first)
    expect(play(false).second).not.toBe(play(false).first)
  })

  it.each([
    [method, { bonus: 1 }, 'no setting bonus'],
    [method, { scale: 'wide' }, 'scale must be a finite number of at least 0, got "wide"'],
    [method, { scale: -1 }, 'scale must be a finite number'],
    [method, { horizon: 0 }, 'horizon must be an integer of at least 1'],
    ['gru+sup-ren', {}, 'no method is called'],
  ])('refuses %s with %o', (name, wrong, message) => {
    expect(() => requireContestant(name, wrong, known)).toThrow(message)
  })

  it('accepts settings of its model, of training and of SupREN', () => {
    const settings = {
      scale: 0.1,
      delta: 0.2,
      horizon: 50,
      rate: 0.01,
      dimension: 8,
      learns: false,
    }
    expect(() => requireContestant(method, settings, known)).not.toThrow()
  })

  it('runs in a world whose items join with vectors', () => {
    const settings = { seed: 1, steps: 30, liveItems: 12, slateSize: 3, users: 2 }
    const content = createColdContent(settings)
    const { environment, contestant } = enter(engine, content, method, {}, 7, known)
    expect([...run(environment, contestant)]).toHaveLength(30)
  })
})
