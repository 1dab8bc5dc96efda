import { slateItems } from '../core/events.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type Engine } from '../kernels/index.ts'
import { createPolicy } from '../exploration/index.ts'
import { mlp } from '../models/index.ts'
import { createMethod, methodOf, methodSettings, type MethodOptions } from './methods.ts'
import { presetNames } from './presets.ts'

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})

const itemNames = Array.from({ length: 12 }, (_, k) => `item ${k}`)

describe.each(presetNames)('the preset %s', (name) => {
  it('recommends, observes, learns and recommends again', () => {
    const recommender = createMethod(engine, name, { itemNames, seed: 1 })
    for (let time = 0; time < 3; time++) {
      const { items, complete } = recommender.recommend({ user: 'ann', count: 4 })
      expect(complete).toBe(true)
      const shown = items.map(({ item }) => item)
      expect(new Set(shown).size).toBe(4)
      recommender.observe({
        kind: 'recommendation',
        user: 'ann',
        items: slateItems(shown, [1, 0, 0, 0]),
        time,
      })
      recommender.observe({ kind: 'interaction', user: 'ann', item: shown[0]!, reward: 1, time })
      expect(recommender.fineTune()).toMatchObject({ steps: 3, events: 12 * (time + 1) })
    }
  })
})

describe('presets', () => {
  it('of REN have λ_d = 0.1 and λ_u = √10·λ_d, or one of them', () => {
    const weights = { 'ren-g': [0.1, 0.316], 'ren-1-2': [0.1, 0], 'ren-1-3': [0, 0.316] } as const
    for (const [name, [diversity, uncertainty]] of Object.entries(weights)) {
      const recommender = createMethod(engine, name, { itemNames, seed: 1 })
      for (const item of recommender.recommend({ user: 'ann', count: 12 }).items) {
        const bonus = diversity * item.diversity + uncertainty * item.uncertainty
        expect(item.score - item.relevance).toBeCloseTo(bonus, 3)
      }
    }
  })

  it('of policies with an A_t name the rewarded items, as in the runs of the paper', () => {
    const named = presetNames.flatMap((name) => methodOf(name).settings?.['designMatrix'] ?? [])
    const policiesOf = presetNames.map((name) => methodSettings(name).policy)
    const withDesign = policiesOf.filter((settings) => 'designMatrix' in settings)
    expect(named).toEqual(withDesign.map(() => 'rewarded'))
    expect(named).toHaveLength(7)
  })

  it('with the same model and seed start from equal weights', () => {
    const [greedy, ren, other] = (['gru4rec', 'ren-g', 'ren-t'] as const).map(
      (name) => createMethod(engine, name, { itemNames, seed: 1 }).model,
    )
    expect(ren!.itemEmbeddings.values).toEqual(greedy!.itemEmbeddings.values)
    expect(other!.architecture.description.model).toBe('tcn')
  })

  it('are overridden by options', () => {
    const policy = createPolicy(engine, 'random')
    const architecture = mlp()
    const recommender = createMethod(engine, 'ren-g', { itemNames, seed: 1, policy, architecture })
    expect(recommender.model.architecture.description.model).toBe('mlp')
    expect(recommender.recommend({ user: 'ann', count: 1 }).items[0]!.propensity).toBe(1 / 12)
  })

  it.each([undefined, null, { seed: 1 }, { seed: 1, itemNames: 'abc' }])(
    'are refused without a list of items: %o',
    (options) => {
      const create = () => createMethod(engine, 'ren-g', options as unknown as MethodOptions)
      expect(create).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    },
  )

  it('refuse an unknown name, and list the names', () => {
    const create = () => createMethod(engine, 'ren-x', { itemNames, seed: 1 })
    expect(create).toThrow(/ren-x.*ren-g/)
  })
})
