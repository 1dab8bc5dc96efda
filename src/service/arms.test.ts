import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSplit } from './arms.ts'

const arm = (name: string, share: number) => ({ name, share, method: 'ren-g', settings: {} })

describe('the split of users between arms', () => {
  it('depends on the user, the arms and the seed alone', () => {
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
          const arms = list.map((share, i) => arm(`arm ${i}`, share))
          const one = createSplit({ arms, models: 'own', seed })
          const other = createSplit({ arms, models: 'own', seed })
          const first = users.map((user) => one.armOf(user).name)
          expect(users.toReversed().map((user) => other.armOf(user).name)).toEqual(
            first.toReversed(),
          )
        },
      ),
    )
  })

  it('has the proportions of the shares', () => {
    const arms = [arm('a', 1), arm('b', 3), arm('none', 0), arm('c', 6)]
    const split = createSplit({ arms, models: 'own', seed: 'ren' })
    const counts = new Map<string, number>()
    for (let i = 0; i < 20_000; i++) {
      const { name } = split.armOf(`user-${i}`)
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    expect(counts.get('none')).toBeUndefined()
    expect(counts.get('a')! / 20_000).toBeCloseTo(0.1, 1.9)
    expect(counts.get('b')! / 20_000).toBeCloseTo(0.3, 1.9)
    expect(counts.get('c')! / 20_000).toBeCloseTo(0.6, 1.9)
  })

  it('splits the users differently with another seed', () => {
    const arms = [arm('a', 1), arm('b', 1)]
    const [one, other] = ['1', '2'].map((seed) => createSplit({ arms, models: 'own', seed }))
    const users = Array.from({ length: 2000 }, (_, i) => `user-${i}`)
    const same = users.filter((user) => one!.armOf(user) === other!.armOf(user)).length
    expect(same / users.length).toBeGreaterThan(0.4)
    expect(same / users.length).toBeLessThan(0.6)
  })

  it('makes one group of all arms where they share a model', () => {
    const arms = [arm('a', 1), arm('b', 1)]
    const own = createSplit({ arms, models: 'own', seed: '' })
    const shared = createSplit({ arms, models: 'shared', seed: '' })
    expect(['a', 'b', 'c'].map(own.groupOf)).toEqual(['a', 'b', null])
    expect(shared.groupOf('a')).toBe(shared.groupOf('b'))
  })
})
