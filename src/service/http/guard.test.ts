import fc from 'fast-check'
import { expect, it } from 'vitest'

import { limitRate } from './guard.ts'

it('limits the requests per second of each caller', () => {
  const requests = fc.array(
    fc.record({ caller: fc.constantFrom('a', 'b'), wait: fc.integer({ min: 0, max: 700 }) }),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(requests, fc.integer({ min: 1, max: 4 }), (list, most) => {
      const limit = limitRate(most)
      const through = new Map<string, number>()
      let now = 10_000
      for (const { caller, wait } of list) {
        now += wait
        const slot = `${caller} ${Math.floor(now / 1000)}`
        const count = (through.get(slot) ?? 0) + 1
        through.set(slot, count)
        const refused = limit(caller, now)
        if (count <= most) expect(refused).toBeUndefined()
        else expect(refused).toMatchObject({ code: 'rate-limited' })
      }
    }),
  )
})
