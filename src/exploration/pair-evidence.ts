// How evidence about one pair of user and item changes its memory (p, h), where h/p is the mean of the
// evidence and p its precision. The prior N(π, t²) is not part of the memory, so it can change later.

import type { PairColumns } from '../core/types.ts'
import { hazard } from '../core/statistics.ts'
import { posterior, type Normal, type Pair } from './expected-rewards.ts'

/** Adds a reward with this noise variance. */
export function addReward(
  { precision, weighted }: PairColumns,
  at: number,
  reward: number,
  noiseVariance: number,
): void {
  precision[at]! += 1 / noiseVariance
  weighted[at]! += reward / noiseVariance
}

/** Evidence fades: after infinitely many visits without any, only the prior remains. */
export function fade({ precision, weighted }: PairColumns, length: number, rate: number): void {
  for (let at = 0; at < length; at++) {
    const share = 1 / (1 + rate * precision[at]!)
    precision[at]! *= share
    weighted[at]! *= share
  }
}

/** Limits the precision of all pairs: the taste of the user has changed. */
export function limitPrecision(
  { precision, weighted }: PairColumns,
  length: number,
  limit: number,
): void {
  for (let at = 0; at < length; at++) {
    if (!(precision[at]! > limit)) continue
    weighted[at]! *= limit / precision[at]!
    precision[at] = limit
  }
}

/** The largest share of a variance that one comparison removes. */
const largestShrink = 0.999

/**
 * The expected square of the noise e ~ N(0, 2β²) of a choice, after `pick` was chosen over `loser`:
 * with c and z as in {@link compare}, E e = 2β²·v/c and Var e = 2β²·(1 − 2β²·w/c²). An expected choice
 * says nothing, and gives about 2β² again. So does any choice between uncertain items, where c² ≫ 2β².
 */
export function choiceNoise(pick: Normal, loser: Normal, choiceVariance: number): number {
  const noise = 2 * choiceVariance
  const square = pick.variance + loser.variance + noise
  const z = (pick.mean - loser.mean) / Math.sqrt(square)
  const v = hazard(z)
  const share = noise / square
  return noise * (1 - share * v * (v + z)) + share * noise * v * v
}

/**
 * The user chose `pick` although `loser` was shown too, as in TrueSkill:
 *   c² = V_i + V_j + 2β², z = (μ_i − μ_j)/c, v = φ(z)/Φ(z), w = v·(v + z)
 *   μ_i += V_i·v/c, μ_j −= V_j·v/c, V ×= 1 − V·w/c²
 * The change of the natural parameters joins the memory.
 */
export function compare(
  columns: PairColumns,
  pick: Pair,
  loser: Pair,
  { priorVariance, choiceVariance }: Readonly<Record<'priorVariance' | 'choiceVariance', number>>,
): void {
  const one = posterior(columns, pick, priorVariance)
  const other = posterior(columns, loser, priorVariance)
  const spread = Math.sqrt(one.variance + other.variance + 2 * choiceVariance)
  const z = (one.mean - other.mean) / spread
  const v = hazard(z)
  const shrink = Math.min(v * (v + z), largestShrink) / (spread * spread)
  move(columns, pick.at, one, { shift: v / spread, shrink })
  move(columns, loser.at, other, { shift: -v / spread, shrink })
}

function move(
  { precision, weighted }: PairColumns,
  at: number,
  { mean, variance }: Normal,
  { shift, shrink }: Readonly<Record<'shift' | 'shrink', number>>,
): void {
  const after = variance * Math.max(1 - variance * shrink, 1 - largestShrink)
  precision[at]! += 1 / after - 1 / variance
  weighted[at]! += (mean + shift * variance) / after - mean / variance
}
