// Uncertainty from deviations that a model learned: ‖σ_k‖∞/s₀, so that an item nobody has seen has
// 1, as under the counting rules, and λ_u means the same with either. Multiply by s₀ for the units
// of the embeddings (`uncertaintyScale` of REN-TS).

import { RenError, invalid } from '../core/errors.ts'
import type { UncertaintyEstimator } from './uncertainty.ts'

export interface LearnedUncertaintyOptions {
  /** s₀: the deviation that every item had before anything was known of it. */
  readonly priorDeviation: number
}

/**
 * Needs `deviations` in its evidence. The noise of training may leave a hardly trained item above
 * its prior; as nobody knows less of an item than who has not seen it, 1 is the most.
 */
export function createLearnedUncertainty({
  priorDeviation,
}: LearnedUncertaintyOptions): UncertaintyEstimator {
  const prior = Math.fround(priorDeviation) // as the deviations hold it
  if (!(prior > 0 && prior < Infinity)) {
    throw invalid(`priorDeviation must be a positive float32, got ${priorDeviation}`)
  }
  return {
    name: 'learned',
    movedBy: 'weights',
    estimate({ deviations }, out) {
      if (deviations === undefined) {
        throw invalid('learned uncertainty needs the deviations of a model in its evidence')
      }
      if (deviations.length !== out.length) {
        throw new RenError(
          'shape-mismatch',
          `deviations of ${deviations.length} items cannot fill the uncertainty of ${out.length}`,
        )
      }
      for (let item = 0; item < out.length; item++) {
        const deviation = deviations[item]!
        if (!(deviation >= 0 && deviation < Infinity)) {
          throw invalid(
            `deviations[${item}] must be a finite number of at least 0, got ${deviation}`,
          )
        }
        out[item] = Math.min(1, deviation / prior)
      }
    },
  }
}
