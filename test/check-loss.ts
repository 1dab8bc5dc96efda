// Creates θ, μ and biases for a loss, and compares its gradients with finite differences of its value.

import * as fc from 'fast-check'
import { expect } from 'vitest'
import { createRandom } from '../src/core/random.ts'
import type { Random } from '../src/core/random.ts'
import { createEngine } from '../src/kernels/index.ts'
import type { Engine, Tensor } from '../src/kernels/index.ts'
import type { Loss, Scored, Targets } from '../src/models/losses/loss.ts'
import { createWorkspace } from '../src/kernels/index.ts'

export interface ScoredSizes {
  readonly positions: number
  readonly itemCount: number
  readonly width: number
  readonly withBias: boolean
}

/** Random θ, μ and optional biases, with zero gradients. */
export function openScored(engine: Engine, sizes: ScoredSizes, random: Random): Scored {
  const { positions, itemCount, width, withBias } = sizes
  const filled = (name: string, rows: number, columns: number): Tensor => {
    const tensor = engine.matrix(name, rows, columns)
    tensor.values.forEach((_, i, values) => (values[i] = random.normal()))
    return tensor
  }
  return {
    engine,
    workspace: createWorkspace(engine),
    theta: filled('theta', positions, width),
    dTheta: engine.matrix('dTheta', positions, width),
    items: filled('items', itemCount, width),
    dItems: engine.matrix('dItems', itemCount, width),
    itemCount,
    itemOf: (row) => row,
    bias: withBias
      ? { value: filled('bias', itemCount, 1), gradient: engine.matrix('dBias', itemCount, 1) }
      : null,
  }
}

/** Some positions, including repeated ones, each with an item and a reward from 0 to 1. */
export function randomTargets(count: number, sizes: ScoredSizes, random: Random): Targets {
  return {
    rows: Int32Array.from({ length: count }, () => random.integer(sizes.positions)),
    items: Int32Array.from({ length: count }, () => random.integer(sizes.itemCount)),
    rewards: Float32Array.from({ length: count }, () => random.uniform()),
  }
}

/** The value of a loss and its gradients. */
export function movedBy({ theta, dTheta, items, dItems, bias }: Scored) {
  const moved = { theta: [theta, dTheta], items: [items, dItems] } as const
  return bias === null ? moved : { ...moved, bias: [bias.value, bias.gradient] as const }
}

const step = 1 / 256
const tolerance = 4e-3

/**
 * Compares the gradients with respect to θ, μ and biases with central differences over random shapes,
 * and checks that gradients accumulate. `rewardOf` maps a number from 0 to 1 to a reward.
 */
export async function checkLoss(
  create: (itemCount: number) => Loss,
  rewardOf: (share: number) => number = (share) => share,
): Promise<void> {
  const engine = await createEngine({ kernel: 'reference' })
  const upTo = (max: number) => fc.integer({ min: 1, max })
  const shapes = fc.record({
    positions: upTo(5),
    itemCount: upTo(6),
    width: upTo(3),
    withBias: fc.boolean(),
  })
  const property = fc.property(shapes, upTo(5), fc.nat(), (sizes, count, seed) => {
    const random = createRandom(seed)
    const scored = openScored(engine, sizes, random)
    const { rewards, ...drawn } = randomTargets(count, sizes, random)
    const targets = { ...drawn, rewards: rewards.map(rewardOf) }
    const loss = create(sizes.itemCount)
    const candidates = loss.candidates(targets, random)
    const value = () => loss.apply(scored, targets, candidates)
    for (const [name, [, gradient]] of Object.entries(movedBy(scored))) {
      gradient.values.fill(1)
      value()
      const found = gradient.values.map((sum) => sum - 1)
      expect(worstError(value, movedBy(scored), name, found)).toBeLessThan(tolerance)
    }
  })
  fc.assert(property, { numRuns: 40 })
}

function worstError(
  value: () => number,
  moved: Readonly<Record<string, readonly [Tensor, Tensor]>>,
  name: string,
  found: Float32Array,
): number {
  const { values } = moved[name]![0]
  const errors = Array.from(values, (start, i) => {
    const [above, below] = [step, -step].map((by) => {
      values[i] = start + by
      return value()
    })
    values[i] = start
    const slope = (above! - below!) / (2 * step)
    return Math.abs(slope - found[i]!) / Math.max(1, Math.abs(slope))
  })
  return Math.max(...errors)
}
