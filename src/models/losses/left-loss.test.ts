import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { openScored, randomTargets } from '../../../test/check-loss.ts'
import { createRandom } from '../../core/random.ts'
import { createEngine, type Engine } from '../../kernels/index.ts'
import type { LeftTargets, Scored, Targets } from './loss.ts'
import { leftLoss } from './ranking.ts'

let engine: Engine
beforeAll(async () => {
  engine = await createEngine({ kernel: 'reference' })
})

const sizes = { positions: 4, itemCount: 7, width: 3 }
const open = (seed: number, withBias = true): Scored =>
  openScored(engine, { ...sizes, withBias }, createRandom(seed))

function scoreOf({ bias, theta, items }: Scored, row: number, item: number): number {
  let sum = bias?.value.values[item] ?? 0
  for (let i = 0; i < theta.columns; i++) {
    sum += theta.values[row * theta.columns + i]! * items.values[item * items.columns + i]!
  }
  return sum
}

const pairsOf = (pairs: readonly (readonly [target: number, item: number])[]): LeftTargets => ({
  targets: Int32Array.from(pairs, ([target]) => target),
  items: Int32Array.from(pairs, ([, item]) => item),
})

/** The definition, with the shares of the rewards as weights. */
function expectedLoss(scored: Scored, { rows, items, rewards, left }: Targets): number {
  const total = rewards.reduce((sum, reward) => sum + reward, 0)
  let loss = 0
  for (const [target, item] of items.entries()) {
    const others = [...left!.items].filter((_, i) => left!.targets[i] === target)
    const own = Math.exp(scoreOf(scored, rows[target]!, item))
    const all = others.reduce(
      (sum, one) => sum + Math.exp(scoreOf(scored, rows[target]!, one)),
      own,
    )
    loss += (rewards[target]! / total) * Math.log(all / own)
  }
  return loss
}

describe('the loss of left items', () => {
  it('is the cross-entropy of each chosen item against those that were left before it', () => {
    const pair = fc.tuple(fc.nat(4), fc.nat(sizes.itemCount - 1))
    fc.assert(
      fc.property(fc.nat(), fc.boolean(), fc.array(pair), (seed, withBias, pairs) => {
        const scored = open(seed, withBias)
        const targets = randomTargets(5, sizesWith(withBias), createRandom(seed))
        const withLeft = { ...targets, left: pairsOf(pairs) }
        const expected = expectedLoss(scored, withLeft)
        expect(leftLoss(scored, withLeft)).toBeCloseTo(expected, 4)
      }),
    )
  })

  it('is 0 without left items, and changes no gradient', () => {
    const scored = open(1)
    const targets = randomTargets(5, sizesWith(true), createRandom(1))
    expect(leftLoss(scored, targets)).toBe(0)
    expect(leftLoss(scored, { ...targets, left: pairsOf([]) })).toBe(0)
    expect(scored.dItems.values.every((slope) => slope === 0)).toBe(true)
  })

  it('does not depend on the scale of the rewards', () => {
    const targets = randomTargets(5, sizesWith(true), createRandom(2))
    const left = pairsOf([
      [0, 1],
      [3, 4],
      [3, 5],
    ])
    const scaled = { ...targets, rewards: targets.rewards.map((reward) => 100 * reward), left }
    expect(leftLoss(open(2), scaled)).toBeCloseTo(leftLoss(open(2), { ...targets, left }), 5)
  })
})

const sizesWith = (withBias: boolean) => ({ ...sizes, withBias })
