import { describe, expect, it } from 'vitest'

import { fieldOf, runRequest, defaultRun } from './run-request.ts'

describe('the request of a run', () => {
  it('has the methods in the order of the list, then the typed ones', () => {
    const form = { ...defaultRun, methods: ['random', 'gru4rec'], more: ' sasrec+ren, ,mlp' }
    expect(runRequest(form)).toEqual({
      kind: 'race',
      settings: {
        world: 'syn-s',
        methods: ['gru4rec', 'random', 'sasrec+ren', 'mlp'],
        seeds: '1..3',
        worldSettings: { steps: 500 },
      },
    })
  })

  it('omits empty fields', () => {
    const { settings } = runRequest({ ...defaultRun, steps: '', seeds: ' ' })
    expect(Object.keys(settings)).toEqual(['world', 'methods'])
  })
})

describe('a refusal', () => {
  it.each([
    ['steps', 'settings.worldSettings.steps'],
    ['methods', 'settings.methods[0].name'],
    ['methods', 'settings.methods'],
    [null, 'settings.worldly'],
    [null, 'settings.worldSettings.users'],
    [null, undefined],
  ])('is shown at the field %s', (field, path) => {
    expect(fieldOf(path)).toBe(field)
  })
})
