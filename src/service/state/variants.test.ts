import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSplit } from './model-groups.ts'

const variant = (name: string, share: number) => ({ name, share, method: 'ren-g', settings: {} })

describe('the split of users between variants', () => {
  it('depends only on the user, the variants and the seed', () => {
    const shares = fc.array(fc.double({ min: 0.01, max: 10, noNaN: true }), {
      minLength: 1,
      maxLength: 5,
    })
    fc.assert(
      fc.property(
        shares,
        fc.string(),
        fc.array(fc.string(), { maxLength: 20 }),
        (list, seed, users) => {
          const variants = list.map((share, i) => variant(`variant ${i}`, share))
          const one = createSplit({ variants, models: 'own', seed })
          const other = createSplit({ variants, models: 'own', seed })
          const first = users.map((user) => one.variantOf(user).name)
          expect(users.toReversed().map((user) => other.variantOf(user).name)).toEqual(
            first.toReversed(),
          )
        },
      ),
    )
  })

  it('follows the shares', () => {
    const variants = [variant('a', 1), variant('b', 3), variant('none', 0), variant('c', 6)]
    const split = createSplit({ variants, models: 'own', seed: 'ren' })
    const counts = new Map<string, number>()
    for (let i = 0; i < 20_000; i++) {
      const { name } = split.variantOf(`user-${i}`)
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    expect(counts.get('none')).toBeUndefined()
    expect(counts.get('a')! / 20_000).toBeCloseTo(0.1, 1.9)
    expect(counts.get('b')! / 20_000).toBeCloseTo(0.3, 1.9)
    expect(counts.get('c')! / 20_000).toBeCloseTo(0.6, 1.9)
  })

  it('splits the users differently with another seed', () => {
    const variants = [variant('a', 1), variant('b', 1)]
    const [one, other] = ['1', '2'].map((seed) => createSplit({ variants, models: 'own', seed }))
    const users = Array.from({ length: 2000 }, (_, i) => `user-${i}`)
    const same = users.filter((user) => one!.variantOf(user) === other!.variantOf(user)).length
    expect(same / users.length).toBeGreaterThan(0.4)
    expect(same / users.length).toBeLessThan(0.6)
  })

  it('makes one group of all variants if they share a model', () => {
    const variants = [variant('a', 1), variant('b', 1)]
    const own = createSplit({ variants, models: 'own', seed: '' })
    const shared = createSplit({ variants, models: 'shared', seed: '' })
    expect(['a', 'b', 'c'].map(own.groupOf)).toEqual(['a', 'b', null])
    expect(shared.groupOf('a')).toBe(shared.groupOf('b'))
  })
})
