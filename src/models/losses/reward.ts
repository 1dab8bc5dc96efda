// Losses of the score μ_kᵀθ against the reward, of the chosen item or of all shown items.

import { invalid } from '../../core/errors.ts'
import { noCandidates, scoreTargets } from './loss.ts'
import type { Loss } from './loss.ts'

/** Returns the loss of one score and its derivative. */
type Pointwise = (score: number, reward: number) => readonly [loss: number, slope: number]

/** Creates the loss ½(μᵀθ − r)², for rewards of any range. */
export function squaredError(): Loss {
  return pointwise('squared-error', (score, reward) => {
    const error = score - reward
    return [(error * error) / 2, error]
  })
}

/** Creates the loss −r·ln σ(μᵀθ) − (1−r)·ln(1 − σ(μᵀθ)), for rewards from 0 to 1. */
export function binaryCrossEntropy(): Loss {
  return pointwise('binary-cross-entropy', (score, reward) => {
    requireShare(reward)
    // ln(1 + e^s) without overflow for either sign of s.
    const softplus = Math.max(score, 0) + Math.log1p(Math.exp(-Math.abs(score)))
    return [softplus - reward * score, 1 / (1 + Math.exp(-score)) - reward]
  })
}

function requireShare(reward: number): void {
  if (reward >= 0 && reward <= 1) return
  throw invalid(`binary cross-entropy: a reward must be from 0 to 1, got ${reward}`)
}

function pointwise(name: string, loss: Pointwise): Loss {
  return {
    name,
    scoresAll: false,
    candidates: () => noCandidates,
    apply(scored, targets) {
      const { bias } = scored
      const { scores, back } = scoreTargets(scored, targets)
      const { values } = scores
      const count = targets.rows.length
      let sum = 0
      for (let i = 0; i < count; i++) {
        const item = targets.items[i]!
        const score = values[i]! + (bias?.value.values[item] ?? 0)
        const [value, slope] = loss(score, targets.rewards[i]!)
        sum += value
        values[i] = slope / count
        if (bias !== null) bias.gradient.values[item]! += slope / count
      }
      back()
      return sum / count
    },
  }
}
