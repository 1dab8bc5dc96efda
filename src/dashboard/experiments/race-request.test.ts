import { describe, expect, it } from 'vitest'

import { fieldOf, raceRequest, usualRace } from './race-request.ts'

describe('the request of a race', () => {
  it('has the methods in the order of the list, and those that were typed after them', () => {
    const form = { ...usualRace, methods: ['random', 'gru4rec'], more: ' sasrec+ren, ,mlp' }
    expect(raceRequest(form)).toEqual({
      kind: 'race',
      settings: {
        world: 'syn-s',
        methods: ['gru4rec', 'random', 'sasrec+ren', 'mlp'],
        seeds: '1..3',
        worldSettings: { steps: 500 },
      },
    })
  })

  it('leaves out what was left empty', () => {
    const { settings } = raceRequest({ ...usualRace, steps: '', seeds: ' ' })
    expect(Object.keys(settings)).toEqual(['world', 'methods'])
  })
})

describe('a refusal', () => {
  it.each([
    ['steps', 'settings.worldSettings.steps'],
    ['methods', 'settings.methods.0.name'],
    [null, 'settings.worldSettings.users'],
    [null, undefined],
  ])('is shown at the field %s', (field, path) => {
    expect(fieldOf(path)).toBe(field)
  })
})
