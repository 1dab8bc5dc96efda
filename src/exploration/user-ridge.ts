// One user's ridge regression of rewards on embeddings x = μ·scale (LinUCB and LinTS scale to a mean
// length of 1, BaseREN not at all): A = I + Σ xxᵀ, b = Σ r·x over the visits, θ̂ = A⁻¹b.

import { createDesignMatrix, lastVisits } from './design-matrix.ts'
import type { DesignMatrix, DesignMatrixOptions } from './design-matrix.ts'
import type { SlateRequest } from './slate-policy.ts'

export interface UserRidge {
  readonly design: DesignMatrix
  /** θ̂. */
  readonly estimate: Float64Array
  /** xᵀv of every row. */
  dot(vector: Float64Array): Float32Array
  /** √(xᵀA⁻¹x) of every row, and of one. */
  bonuses(): Float32Array
  bonus(row: number): number
}

export function fitUserRidge(
  { decision, candidates, engine, temporary }: SlateRequest,
  scale: number,
  options: DesignMatrixOptions,
): UserRidge {
  const { items, visited } = decision
  const d = items.columns
  const design = createDesignMatrix(d, options)
  design.build(items, visited, scale)
  const estimate = new Float64Array(d)
  const rewards = lastVisits(decision.rewards, options.historyCap)
  const { values } = items
  for (const [i, item] of lastVisits(visited, options.historyCap).entries()) {
    const factor = scale * rewards[i]!
    for (let j = 0; j < d; j++) estimate[j]! += factor * values[item * d + j]!
  }
  design.solve(estimate, estimate)
  return {
    design,
    estimate,
    dot: (vector) => candidates.dot(vector.map((value) => scale * value)),
    bonuses() {
      const whitening = temporary.matrix('whitening', d, d)
      whitening.values.set(design.whitening)
      const forms = temporary.vector('forms', candidates.embeddings.rows)
      engine.operations.quadraticForms({ x: candidates.embeddings, whitening, out: forms })
      return forms.values.map((form) => scale * Math.sqrt(form))
    },
    bonus: (row) => scale * design.bonus(candidates.embeddings.values, row * d),
  }
}
