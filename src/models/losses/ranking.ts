// A ranking loss for interactions and slates: softmax cross-entropy of a chosen item against a sample
// of the catalog and against the items that were shown at the same moment and not chosen.
//
// A moment is an output row with its targets. Targets with a reward above 0 are chosen, the others
// are negatives. Candidates are drawn uniformly and weighted so that their sum estimates the sum over
// the catalog. It is exact if all items are candidates.
//
// `leftLoss` is the part of it that compares with shown items, for training over a log.

import { nonNegativeNumber, positiveInteger, readSettings } from '../../core/settings.ts'
import type { Settings, SettingsInput } from '../../core/settings.ts'
import { fillRowWeights, scoreColumns, scoreTargets } from './loss.ts'
import type { Loss, Scored, Targets } from './loss.ts'

export const rankingSettings = {
  // Small steps draw more candidates, up to the whole catalog, at the cost of a large step.
  candidates: positiveInteger('Minimum number of candidates per step', 256),
  // With 0.1, ten negatives weigh as much as the whole catalog.
  negativeWeight: nonNegativeNumber(
    'Weight of a negative against the items chosen at its moment, as a share of the catalog',
    0.1,
  ),
  unchosenWeight: nonNegativeNumber(
    'Weight of a negative where no item was chosen, relative to an interaction of average reward',
    0.1,
  ),
} as const

/**
 * Settings of {@link ranking}. `candidates` is the minimum per step and defaults to 256.
 * `negativeWeight` and `unchosenWeight` weight the negatives of moments with and without a chosen
 * item; both default to 0.1.
 */
export type RankingOptions = SettingsInput<typeof rankingSettings>

/** The number of scores per step (moments × candidates) up to which more candidates are drawn. */
const scoresPerStep = 2 ** 21

/**
 * Creates a loss that ranks the chosen item above sampled candidates and above the items shown with
 * it.
 *
 * The loss of a chosen item p with reward r is r·ln((e^s_p + Σ_c e^s_c + w·Σ_n e^s_n) / e^s_p),
 * over candidates c (scaled to the catalog) and negatives n of the moment. At a moment without a
 * chosen item, each negative costs ln(1 + e^s_n / mean_c e^s_c), so that it falls below a typical
 * item.
 */
export function ranking(options: RankingOptions = {}): Loss {
  const checked = readSettings('ranking', rankingSettings, options)
  return {
    name: 'ranking',
    scoresAll: false,
    ranks: true,
    candidates({ rows, items }, random, itemCount = 1 + items.reduce((a, b) => Math.max(a, b), 0)) {
      const affordable = Math.floor(scoresPerStep / Math.max(1, rows.length))
      const count = Math.min(itemCount, Math.max(checked.candidates, affordable))
      if (count < itemCount) return random.choose(count, itemCount)
      return Int32Array.from({ length: itemCount }, (_, item) => item)
    },
    apply: (scored, targets, candidates) => rankingLoss(scored, targets, candidates, checked),
  }
}

/** Returns the mean loss and accumulates its gradients. */
function rankingLoss(
  scored: Scored,
  targets: Targets,
  candidates: Int32Array,
  { negativeWeight, unchosenWeight }: Settings<typeof rankingSettings>,
): number {
  const moments = momentsOf(targets)
  const rows = Int32Array.from(moments, ({ row }) => row)
  const { scores, back } = scoreColumns(scored, { rows }, candidates)
  const pairs = scorePairs(scored, targets)
  const weights = weightsOf(moments, targets, unchosenWeight)
  const { itemCount } = scored
  const columns = columnsOf(candidates)
  const slopes = new Float32Array(weights.length)
  const masses = new Float64Array(candidates.length)
  const tables = { targets, weights, pairs: pairs.values, slopes, columns, masses }
  const context = { ...tables, itemCount, negativeWeight }
  let sum = 0
  for (const [i, moment] of moments.entries()) {
    const row = scores.values.subarray(i * scores.columns, (i + 1) * scores.columns)
    sum += lossOf(moment, row, context)
  }
  back()
  pairs.back(slopes)
  return sum
}

/** The targets of one output row, as indices into the targets. */
interface Moment {
  readonly row: number
  readonly chosen: number[]
  readonly negatives: number[]
}

/** Groups targets by moment. A chosen item is never a negative of the same moment. */
function momentsOf({ rows, items, rewards }: Targets): readonly Moment[] {
  const moments = new Map<number, Moment>()
  for (const [i, row] of rows.entries()) {
    const moment = moments.get(row) ?? { row, chosen: [], negatives: [] }
    moments.set(row, moment)
    ;(rewards[i]! > 0 ? moment.chosen : moment.negatives).push(i)
  }
  return Array.from(moments.values(), (moment) => {
    const chosen = new Set(moment.chosen.map((i) => items[i]!))
    return { ...moment, negatives: moment.negatives.filter((i) => !chosen.has(items[i]!)) }
  })
}

/**
 * Weights of chosen items, and of negatives without one. They sum to 1, so the reward scale
 * cancels.
 */
function weightsOf(
  moments: readonly Moment[],
  { rewards }: Targets,
  unchosenWeight: number,
): Float64Array {
  const weights = new Float64Array(rewards.length)
  const chosen = moments.flatMap((moment) => moment.chosen)
  const reward = chosen.reduce((sum, i) => sum + rewards[i]!, 0)
  const average = chosen.length === 0 ? 1 : reward / chosen.length
  const alone = moments.flatMap((moment) => (moment.chosen.length > 0 ? [] : moment.negatives))
  const total = reward + alone.length * unchosenWeight * average
  if (total === 0) return weights
  for (const i of chosen) weights[i] = rewards[i]! / total
  for (const i of alone) weights[i] = (unchosenWeight * average) / total
  return weights
}

/** Computes s = μᵀθ (+ bias) of each target. `back` accumulates the gradients. */
function scorePairs(scored: Scored, targets: Pick<Targets, 'rows' | 'items'>) {
  const { bias } = scored
  const { scores, back } = scoreTargets(scored, targets)
  const { values } = scores
  if (bias !== null)
    for (const [i, item] of targets.items.entries()) values[i]! += bias.value.values[item]!
  return {
    values,
    back(slopes: Float32Array) {
      // `values` may be detached, because the engine's memory may have grown since.
      scores.values.set(slopes)
      back()
      if (bias === null) return
      for (const [i, item] of targets.items.entries()) bias.gradient.values[item]! += slopes[i]!
    },
  }
}

/** Maps each candidate to its column. */
const columnsOf = (candidates: Int32Array): ReadonlyMap<number, number> =>
  new Map(Array.from(candidates, (item, column) => [item, column]))

interface Context {
  readonly targets: Targets
  readonly weights: Float64Array
  /** Scores of the targets, and their gradients. */
  readonly pairs: Float32Array
  readonly slopes: Float32Array
  readonly columns: ReadonlyMap<number, number>
  readonly itemCount: number
  readonly negativeWeight: number
  /** Scratch memory for one value per candidate. */
  readonly masses: Float64Array
}

/**
 * Returns the weighted loss of a moment and replaces the candidate scores in `row` by gradients. The
 * candidates count as masses e^(score − top).
 */
function lossOf(moment: Moment, row: Float32Array, context: Context): number {
  const hasChoice = moment.chosen.length > 0
  let top = -Infinity
  for (let column = 0; column < row.length; column++) top = Math.max(top, row[column]!)
  if (hasChoice) {
    for (const i of moment.chosen) top = Math.max(top, context.pairs[i]!)
    for (const i of moment.negatives) top = Math.max(top, context.pairs[i]!)
  }
  let sum = 0
  for (let column = 0; column < row.length; column++) {
    const mass = Math.exp(row[column]! - top)
    context.masses[column] = mass
    sum += mass
  }
  const scaled = { ...context, row, top, sum }
  return hasChoice ? chosenLoss(moment, scaled) : negativeLoss(moment, scaled)
}

type Scaled = Context & Readonly<{ row: Float32Array; top: number; sum: number }>

function chosenLoss({ chosen, negatives }: Moment, scaled: Scaled): number {
  const { top, masses, sum, row, targets, weights, pairs, slopes, columns } = scaled
  const { itemCount, negativeWeight } = scaled
  const negativeMasses = negatives.map(
    (i) => negativeWeight * itemCount * Math.exp(pairs[i]! - top),
  )
  const negativeSum = negativeMasses.reduce((a, b) => a + b, 0)
  let [loss, share, negativeShare] = [0, 0, 0]
  const own: (readonly [column: number, share: number])[] = []
  for (const i of chosen) {
    const column = columns.get(targets.items[i]!)
    const others = masses.length - Number(column !== undefined)
    const scale = others === 0 ? 0 : (itemCount - 1) / others
    const otherSum = Math.max(0, sum - (column === undefined ? 0 : masses[column]!))
    const mass = Math.exp(pairs[i]! - top)
    const total = mass + scale * otherSum + negativeSum
    const weight = weights[i]!
    loss += weight * (Math.log(total) + top - pairs[i]!)
    slopes[i] = weight * (mass / total - 1)
    share += (weight * scale) / total
    negativeShare += weight / total
    if (column !== undefined) own.push([column, (weight * scale) / total])
  }
  for (let column = 0; column < row.length; column++) row[column] = masses[column]! * share
  // A chosen item is not compared with itself.
  for (const [column, ownShare] of own) row[column]! -= masses[column]! * ownShare
  for (const [at, i] of negatives.entries()) slopes[i] = negativeMasses[at]! * negativeShare
  return loss
}

function negativeLoss({ negatives }: Moment, scaled: Scaled): number {
  const { top, masses, sum, row, pairs, weights, slopes } = scaled
  const typical = Math.log(sum / masses.length) + top
  let [loss, share] = [0, 0]
  for (const i of negatives) {
    const above = pairs[i]! - typical
    const weight = weights[i]!
    loss += weight * (Math.max(above, 0) + Math.log1p(Math.exp(-Math.abs(above))))
    const slope = weight / (1 + Math.exp(-above))
    slopes[i] = slope
    share += slope / sum
  }
  for (let column = 0; column < row.length; column++) row[column] = -masses[column]! * share
  return loss
}

/**
 * The loss of slates in training over a log, in addition to a loss over the catalog, which does not know
 * what was shown: with that alone, a model learns what is shown often rather than what is chosen.
 * Returns the mean of r·ln((e^s_p + Σ_n e^s_n) / e^s_p) over the targets p with their rewards r
 * and left items n, and accumulates its gradients. Targets without left items cost nothing.
 */
export function leftLoss(scored: Scored, targets: Targets): number {
  const { left, rows, items } = targets
  if (left === undefined) return 0
  const leftRows = left.targets.map((target) => rows[target]!)
  const { values, back } = scorePairs(scored, {
    rows: joined(rows, leftRows),
    items: joined(items, left.items),
  })
  const [chosen, others] = [values.slice(0, rows.length), values.slice(rows.length)]
  const tops = chosen.slice()
  for (const [i, target] of left.targets.entries()) {
    tops[target] = Math.max(tops[target]!, others[i]!)
  }
  const masses = Float64Array.from(chosen, (score, i) => Math.exp(score - tops[i]!))
  const otherMasses = Float64Array.from(others, (score, i) =>
    Math.exp(score - tops[left.targets[i]!]!),
  )
  const totals = masses.slice()
  for (const [i, target] of left.targets.entries()) totals[target]! += otherMasses[i]!

  const weights = new Float32Array(rows.length)
  fillRowWeights(weights, targets, { weighRewards: true })
  const slopes = new Float32Array(values.length)
  let loss = 0
  for (const [i, weight] of weights.entries()) {
    loss += weight * (Math.log(totals[i]!) + tops[i]! - chosen[i]!)
    slopes[i] = weight * (masses[i]! / totals[i]! - 1)
  }
  for (const [i, target] of left.targets.entries()) {
    slopes[rows.length + i] = (weights[target]! * otherMasses[i]!) / totals[target]!
  }
  back(slopes)
  return loss
}

function joined(one: Int32Array, other: Int32Array): Int32Array {
  const both = new Int32Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}
