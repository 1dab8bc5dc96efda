import { describe, expect, it } from 'vitest'

import { completeSettings } from '../complete-settings.ts'
import { modelGroupPlans, type ModelGroupPlan } from './model-groups.ts'
import type { VariantSettings } from '../settings.ts'
import { areWeightsOf, isStateOf, stateSnapshot, weightsSnapshot } from './snapshots.ts'

const settingsOf = (method: string, settings: VariantSettings['settings'] = {}) =>
  completeSettings({ store: 'nowhere', variants: [{ name: 'ren', method, settings }] })
const groupOf = (...of: Parameters<typeof settingsOf>): ModelGroupPlan =>
  modelGroupPlans(settingsOf(...of))[0]!

const facts = {
  version: 3,
  position: 9,
  loss: null,
  heldOut: null,
  origin: 'fine-tuned',
  quality: null,
  trainedOn: null,
} as const
const stored = { id: 1, bytes: 0, readable: true }
const weights = { ...stored, ...weightsSnapshot(groupOf('ren-g'), facts, 0, 0) }
const state = { ...stored, ...stateSnapshot(groupOf('ren-g'), settingsOf('ren-g'), 9, 0) }

describe('a saved snapshot', () => {
  it('fits if an earlier version saved how uncertainty is counted', () => {
    const group = groupOf('ren-g')
    const own = JSON.parse(weights.about['method'] as string) as [string, unknown[]]
    const named = JSON.stringify([own[0], [...own[1], ['uncertainty', 'counts']]])
    expect(areWeightsOf({ ...weights, about: { ...weights.about, method: named } }, group)).toBe(
      true,
    )
  })

  it.each([
    ['the same settings', 'ren-g', {}],
    ['another weight of exploration', 'ren-g', { explorationWeight: 0.3 }],
    ['another policy', 'gru4rec+epsilon-greedy', { epsilon: 0.2 }],
    ['another rate of learning', 'ren-g', { rate: 0.01, fineTuneSteps: 5 }],
    ['another way to count uncertainty', 'ren-g', { uncertainty: 'counts' }],
  ])('still fits with %s', (_, method, settings) => {
    expect(areWeightsOf(weights, groupOf(method, settings))).toBe(true)
    expect(isStateOf(state, groupOf(method, settings), settingsOf(method, settings))).toBe(true)
  })

  it.each([
    ['another model', 'sasrec+ren', {}],
    ['another size of it', 'ren-g', { dimension: 8 }],
    ['another loss', 'ren-g', { loss: 'softmax' }],
    ['another kind of uncertainty', 'ren-g', { uncertainty: 'learned' }],
  ])('does not fit %s', (_, method, settings) => {
    expect(areWeightsOf(weights, groupOf(method, settings))).toBe(false)
    expect(isStateOf(state, groupOf(method, settings), settingsOf(method, settings))).toBe(false)
  })
})
