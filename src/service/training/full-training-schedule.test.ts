import { describe, expect, it } from 'vitest'

import { defaults } from '../settings.ts'
import { createDueRule } from './full-training.ts'

const { fullTraining: settings } = defaults.learning
const rule = () => createDueRule(settings)

describe('a full training run is due', () => {
  it('with 1,000 interactions of 20 users, of which none was trained on', () => {
    const { isDue } = rule()
    const counts = { interactions: 1000, users: 20 }
    expect(isDue('ren', counts, 0)).toBe(false) // it may still be growing
    expect(isDue('ren', counts, 0)).toBe(true)
    expect(isDue('other', counts, 0)).toBe(false)
  })

  it.each([
    ['fewer interactions', { interactions: 999, users: 500 }],
    ['fewer users', { interactions: 5000, users: 19 }],
  ])('but not with %s', (_, counts) => {
    const { isDue } = rule()
    expect([isDue('ren', counts, 0), isDue('ren', counts, 0)]).toEqual([false, false])
  })

  it('if a fifth of the interactions is new since the last run', () => {
    const { isDue } = rule()
    const counts = { interactions: 10_000, users: 100 }
    isDue('ren', counts, 0)
    expect(isDue('ren', counts, 8001)).toBe(false)
    expect(isDue('ren', counts, 8000)).toBe(true)
  })

  it('but not during an import', () => {
    const { isDue } = rule()
    const looks = [10_000, 20_000, 40_000, 41_000].map((interactions) =>
      isDue('ren', { interactions, users: 100 }, 0),
    )
    expect(looks).toEqual([false, false, false, true])
  })
})
