import { beforeAll, expect, it } from 'vitest'
import { createEngine, type Engine } from '../kernels/index.ts'
import { createMethod, recommenderSettings } from './methods.ts'
import { restoreRecommender } from './recommender.ts'

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})

it('refuses a state of another format, which a service rebuilds from its log', () => {
  const bytes = createMethod(engine, 'ren-g', { itemNames: ['tea'], seed: 1 }).save()
  const text = Buffer.from(bytes).toString('latin1')
  expect(text).toContain('ren-state-2')
  const older = Buffer.from(text.replace('ren-state-2', 'ren-state-1'), 'latin1')
  expect(() => restoreRecommender(engine, older, recommenderSettings(engine, 'ren-g'))).toThrow(
    'the state must have the format ren-state-2',
  )
})
