import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEngine } from '../kernels/index.ts'
import type { Engine } from '../kernels/index.ts'
import { createSyn, run } from '../simulation/index.ts'
import { enter, requireContestant } from './contestants.ts'

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})
afterAll(() => engine.close())

const world = (feedback: 'selected' | 'shown') =>
  createSyn({ seed: 1, repeats: 1, steps: 60, users: 3, feedback })

function slatesOf(method: string, feedback: 'selected' | 'shown', more = {}) {
  const { environment, contestant } = enter(engine, world(feedback), method, more, 7)
  return Array.from(run(environment, contestant), ({ slate }) => slate)
}

describe('a model with SupREN', () => {
  it.each(['selected', 'shown'] as const)('plays a world that tells of what was %s', (feedback) => {
    const slates = slatesOf('gru4rec+sup-ren', feedback, { scale: 0.01 })
    expect(slates).toHaveLength(60)
    for (const slate of slates) expect(new Set(slate).size).toBe(4)
    expect(slatesOf('gru4rec+sup-ren', feedback, { scale: 0.01 })).toEqual(slates)
    expect(slatesOf('gru4rec+sup-ren', feedback, { scale: 0.1 })).not.toEqual(slates)
  })

  it('has the steps of the world for a horizon, as BaseREN has', () => {
    for (const method of ['gru4rec+sup-ren', 'gru4rec+base-ren']) {
      const usual = slatesOf(method, 'selected', { scale: 0.05 })
      expect(slatesOf(method, 'selected', { scale: 0.05, horizon: 60 })).toEqual(usual)
      expect(slatesOf(method, 'selected', { scale: 0.05, horizon: 1e9 })).not.toEqual(usual)
    }
  })

  it('learns from the reported rewards', () => {
    const shown = slatesOf('gru4rec+sup-ren', 'shown', { scale: 0.01 })
    expect(slatesOf('gru4rec+sup-ren', 'selected', { scale: 0.01 })).not.toEqual(shown)
  })

  it('starts an erased user afresh', () => {
    const play = (forget: boolean) => {
      const { contestant } = enter(engine, world('selected'), 'gru4rec+sup-ren', {}, 7)
      const ask = () => contestant.recommend({ user: 'ann', count: 1 }).items[0]!.item
      const first = ask()
      contestant.observe({ kind: 'taken', user: 'ann', item: first, reward: 1, time: 1 })
      if (forget) contestant.observe({ kind: 'user-erased', user: 'ann' })
      return { first, second: ask() }
    }
    expect(play(true).second).toBe(play(true).first)
    expect(play(false).second).not.toBe(play(false).first)
  })

  it.each([
    ['gru4rec+sup-ren', { bonus: 1 }, 'no setting bonus'],
    ['gru4rec+sup-ren', { scale: 'wide' }, 'scale must be a number, got wide'],
    ['gru4rec+sup-ren', { scale: -1 }, 'scale must be a finite number'],
    ['gru4rec+sup-ren', { horizon: 0 }, 'horizon must be a positive integer'],
    ['gru+sup-ren', {}, 'no method is called'],
  ])('refuses %s with %o', (method, wrong, message) => {
    expect(() => requireContestant(method, wrong)).toThrow(message)
  })

  it('takes the settings of its model, of learning and of SupREN', () => {
    const known = { scale: 0.1, delta: 0.2, horizon: 50, rate: 0.01, dimension: 8, learns: false }
    expect(() => requireContestant('gru4rec+sup-ren', known)).not.toThrow()
  })
})
