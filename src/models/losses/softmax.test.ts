import { describe, expect, it } from 'vitest'
import { movedBy, openScored, randomTargets } from '../../../test/check-loss.ts'
import { createRandom } from '../../core/random.ts'
import { createEngine } from '../../kernels/index.ts'
import { noCandidates } from './loss.ts'
import { softmax } from './softmax.ts'

describe('the full softmax', () => {
  it.each([true, false])(
    'is the mean over all targets if they exceed one chunk (biases: %s)',
    async (withBias) => {
      const engine = await createEngine()
      // With as many items, a chunk has eight targets.
      const sizes = { positions: 6, itemCount: 70_000, width: 2, withBias }
      const random = createRandom(3)
      const scored = openScored(engine, sizes, random)
      const targets = randomTargets(11, sizes, random)
      const gradients = () =>
        Object.values(movedBy(scored)).map(([, { values }]) => values.map(Number))

      const alone = Array.from(targets.rows.keys(), (i) => {
        const one = {
          rows: targets.rows.slice(i, i + 1),
          items: targets.items.slice(i, i + 1),
          rewards: targets.rewards.slice(i, i + 1),
        }
        return softmax().apply(scored, one, noCandidates)
      })
      const expected = gradients()
      for (const [, { values }] of Object.values(movedBy(scored))) values.fill(0)
      const loss = softmax().apply(scored, targets, noCandidates)
      expect(loss).toBeCloseTo(alone.reduce((a, b) => a + b) / 11, 4)
      for (const [i, values] of gradients().entries()) {
        const errors = values.map((value, at) => Math.abs(value - expected[i]![at]! / 11))
        expect(errors.reduce((a, b) => Math.max(a, b))).toBeLessThan(1e-5)
      }
    },
  )
})
