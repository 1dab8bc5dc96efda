import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type Engine } from '../../kernels/index.ts'
import { createMethod } from '../../recommender/index.ts'
import { bestSynReward, createSyn, run } from '../../simulation/index.ts'
import { createComparison, type ComparisonSetup } from './comparison.ts'

const setup: ComparisonSetup = {
  world: { repeats: 1, feedback: 'shown' },
  methods: ['ren-g', 'oracle'],
  seeds: 2,
  rounds: 70,
}

describe('a comparison', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine()
  })
  afterAll(() => engine.close())

  it('matches the simulation, however many rounds run at a time', () => {
    const comparison = createComparison(engine, { ...setup, methods: ['ren-g'], seeds: 1 })
    const world = createSyn({ ...setup.world, seed: 1, steps: setup.rounds })
    const { itemNames } = world
    const rows = [...run(world, createMethod(engine, 'ren-g', { itemNames, seed: 1 }))]
    for (const rounds of [1, 30, 3]) comparison.play(rounds)
    while (!comparison.isOver) comparison.play(7)
    const regret = rows.reduce((sum, { reward, bestReward }) => sum + bestReward - reward, 0)
    expect(comparison.results()[0]!.regret.at(-1)).toBeCloseTo(regret, 9)
    expect(comparison.played).toBe(70)
    expect(comparison.play(5)).toBe(0)
  })

  it('counts the rounds of all methods and seeds', () => {
    expect(createComparison(engine, setup).play(3)).toBe(3 * 2 * 2)
  })

  it('draws a point every few rounds, of every method in the world of every seed', () => {
    const comparison = createComparison(engine, setup)
    comparison.play(43)
    const [ren, sameRen, oracle] = comparison.results()
    expect([ren!.policy, sameRen!.policy, oracle!.policy]).toEqual(['ren-g', 'ren-g', 'oracle'])
    expect(ren!.at).toEqual([5, 10, 15, 20, 25, 30, 35, 40])
    expect(ren!.reward).toHaveLength(8)
    expect(ren!.reward).not.toEqual(sameRen!.reward)
    for (const reward of oracle!.reward) expect(reward).toBeCloseTo(bestSynReward, 9)
    for (const regret of oracle!.regret) expect(regret).toBeCloseTo(0, 9)
  })

  it('refuses an unknown method', () => {
    expect(() => createComparison(engine, { ...setup, methods: ['best'] })).toThrow('best')
  })
})
