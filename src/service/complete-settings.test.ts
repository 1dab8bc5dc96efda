import { describe, expect, it } from 'vitest'

import { RenError } from '../core/errors.ts'
import { completeSettings, logMessagesOf } from './complete-settings.ts'
import {
  defaults,
  explorationDefaults,
  hierarchicalDefaults,
  type ServiceSettings,
} from './settings.ts'

const store = 'ren.db'

describe('settings of a service', () => {
  it('are completed by the defaults', () => {
    const { clock, ...settings } = completeSettings({ store })
    expect(settings).toMatchObject({
      ...defaults,
      store,
      skipDamaged: false,
      variants: [{ name: 'ren', share: 1, method: 'ren-g', settings: {} }],
    })
    expect(clock()).toBeCloseTo(Date.now(), -3)
  })

  it('keep explicit values', () => {
    const settings = completeSettings({ store, seed: 7, learning: { holdOut: 0 } })
    expect(settings.seed).toBe('7')
    expect(settings.learning).toEqual({ ...defaults.learning, holdOut: 0 })
  })

  it('give every variant the exploration defaults', () => {
    const settingsOf = (
      variants: ServiceSettings['variants'],
      more: Partial<ServiceSettings> = {},
    ) =>
      completeSettings({ store, variants: variants!, ...more }).variants.map(
        ({ settings }) => settings,
      )
    const { uncertainty, ...ofPolicy } = explorationDefaults
    const design = { designMatrix: 'reported' }
    const ren = { name: 'ren', method: 'ren-g' }
    const control = { name: 'control', method: 'gru4rec' }
    expect(settingsOf([ren, control])).toEqual([{ ...design, ...explorationDefaults }, {}])
    const own = { dimension: 8, exploratoryShare: 0.3, uncertainty: 'counts' }
    expect(settingsOf([{ ...ren, settings: own }])).toEqual([
      { ...design, ...explorationDefaults, ...own, coldExploratoryShare: 0.3 },
    ])
    // Absolute weights have another scale.
    expect(settingsOf([{ ...ren, settings: { diversityWeight: 0.01 } }])).toEqual([
      { ...design, diversityWeight: 0.01 },
    ])
    expect(settingsOf([{ name: 'part', method: 'ren-1-2' }])).toEqual([design])
    // A variant of the paper's method names its own A_t.
    const paper = { designMatrix: 'rewarded' }
    expect(settingsOf([{ name: 'part', method: 'ren-1-2', settings: paper }])).toEqual([paper])
    // Variants with a shared model share its uncertainty.
    expect(settingsOf([control, ren], { models: 'shared' })).toEqual([
      { uncertainty },
      { ...design, ...ofPolicy, uncertainty },
    ])
    expect(settingsOf([{ name: 'learned', method: 'gru4rec+hierarchical' }])).toEqual([
      hierarchicalDefaults,
    ])
    // Without the blend, relevance is on the scale of rewards.
    expect(settingsOf([ren], { relevance: 'model' })).toEqual([design])
  })

  it.each<[object, RegExp]>([
    [{}, /^store must be a non-empty string/],
    [{ store: 7 }, /^store must be a non-empty string/],
    [{ store, variant: [] }, /^settings has no key variant; its keys are store,/],
    [{ store, models: 'both' }, /^models must be one of own, shared, got "both"/],
    [{ store, impressions: null }, /^impressions must be one of/],
    [{ store, seed: Number.NaN }, /^seed must be a number/],
    [{ store, attributionWindow: -1 }, /^attributionWindow must be a number from 0/],
    [{ store, attributionWindow: '5' }, /^attributionWindow must be a number .* got "5"/],
    [{ store, skipDamaged: 1 }, /^skipDamaged must be one of true, false, got 1/],
    [{ store, clock: 1 }, /^clock must be a function/],
    [{ store, onLogMessage: 1 }, /^onLogMessage must be a function/],
    [{ store, learning: { enabled: 1 } }, /^learning\.enabled must be a boolean/],
    [
      { store, learning: { every: 1 } },
      /^learning has no setting every; it has enabled, everyEvents, /,
    ],
    [{ store, learning: { holdOut: 1 } }, /^learning\.holdOut must be a number from 0 to 0.9/],
    [{ store, snapshots: { maxStates: 0 } }, /^snapshots\.maxStates must be an integer from 1/],
    [{ store, maxPerUser: { history: Number.NaN } }, /^maxPerUser\.history must be an integer/],
    [{ store, variants: {} }, /^variants must be an array/],
    [{ store, variants: [] }, /^variants must contain at least one variant/],
    [
      { store, variants: [{ name: '', method: 'ren-g' }] },
      /^variants\[0\].name must be a non-empty string/,
    ],
    [{ store, variants: [{ name: 'a', method: 'none' }] }, /no method is called none/],
    [
      { store, variants: [{ name: 'a', method: 'ren-g', share: -1 }] },
      /^variants\[0\].share must be/,
    ],
    [
      { store, variants: [{ name: 'a', method: 'ren-g', share: 0 }] },
      /variants must contain a share above 0/,
    ],
    [{ store, variants: [{ name: 'a', method: 'ren-g', settings: { x: 1 } }] }, /has no setting x/],
    [
      { store, variants: [{ name: 'a', method: 'ren-g', settings: { loss: 'huber' } }] },
      /^ren-g\.loss must be one of squared-error, .* got "huber"/,
    ],
    [
      { store, variants: [1, 2].map(() => ({ name: 'a', method: 'ren-g' })) },
      /^variants\[1\].name must be unique, got "a" again/,
    ],
    [
      {
        store,
        models: 'shared',
        variants: [
          { name: 'a', method: 'ren-g' },
          { name: 'b', method: 'ren-t' },
        ],
      },
      /^variants must have the same model if models is 'shared', got gru4rec \[\] and tcn/,
    ],
  ])('%j are refused', (settings, message) => {
    const complete = () => completeSettings(settings as ServiceSettings)
    expect(complete).toThrow(RenError)
    expect(complete).toThrow(message)
  })

  it('let variants with a shared model differ in their policies', () => {
    const variants = [
      { name: 'a', method: 'ren-g', settings: { diversityWeight: 0.2, dimension: 8 } },
      { name: 'b', method: 'gru4rec', settings: { dimension: 8 } },
    ]
    expect(completeSettings({ store, models: 'shared', variants }).variants).toHaveLength(2)
  })

  it('warn of a loss that changes what the weights of exploration mean', () => {
    const variants = [
      { name: 'a', method: 'ren-g', settings: { loss: 'softmax' } },
      { name: 'b', method: 'ren-g', settings: { loss: 'squared-error' } },
    ]
    expect(logMessagesOf(completeSettings({ store, variants }))).toEqual([])
    const settings = completeSettings({ store, variants, relevance: 'model' })
    const [reported, ...others] = logMessagesOf(settings)
    expect(others).toEqual([])
    expect(reported).toMatchObject({
      level: 'warning',
      message: expect.stringMatching(/^variant a learns/),
    })
  })
})
