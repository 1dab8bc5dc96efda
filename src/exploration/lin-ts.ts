// LinTS, Thompson sampling of one ridge regression a user: one θ̃ ~ N(θ̂, v²A⁻¹) a slate, and
// score = xᵀθ̃ with x = μ / mean‖μ‖ (θ̂ and A as in LinUCB). `diversity` is √(xᵀA⁻¹x): v times it
// is the spread of the drawn score. v is `posteriorScale`.
// Cost: O(visits·d²) for A, then one dot-product pass. A strong baseline on small worlds.

import type { Engine } from '../kernels/index.ts'
import { addOffsets } from './candidates.ts'
import type { DesignMatrixOptions } from './design-matrix.ts'
import { createEmbeddingScale } from './embedding-scale.ts'
import type { ExplorationPolicy } from './policy.ts'
import { requireHistoryCap, requireWithin } from './requirements.ts'
import { drawsOf, sampledSlate } from './sampled-slate.ts'
import type { PropensityOptions } from './sampled-slate.ts'
import { createSlatePolicy } from './slate-policy.ts'
import { fitUserRidge } from './user-ridge.ts'

export interface LinTsOptions extends DesignMatrixOptions, PropensityOptions {
  /** v. Defaults to 0.3. */
  readonly posteriorScale?: number
}

export function createLinTsPolicy(engine: Engine, options: LinTsOptions = {}): ExplorationPolicy {
  const { posteriorScale = 0.3 } = options
  requireWithin('posteriorScale', posteriorScale, 0)
  requireHistoryCap(options.historyCap)
  const draws = drawsOf(options)
  const scaleOf = createEmbeddingScale(engine)
  return createSlatePolicy(
    engine,
    'lin-ts',
    (request) => {
      const { design, estimate, dot, bonus } = fitUserRidge(
        request,
        scaleOf(request.decision),
        options,
      )
      const drawn = new Float64Array(design.dimension)
      const picks = sampledSlate(request, draws, (random) => {
        design.sample(estimate, posteriorScale, random, drawn)
        const scores = dot(drawn)
        addOffsets(request.decision, request.candidates, scores)
        return scores
      })
      return picks.map((pick) => ({ ...pick, diversity: bonus(pick.row) }))
    },
    { propensityDraws: draws },
  )
}
