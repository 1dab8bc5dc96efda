// A ranking loss for interactions and slates: softmax cross-entropy of a chosen item against a sample
// of the catalog and against the items that were shown at the same moment and not chosen.
//
// A moment is an output row with its targets. Targets with a reward above 0 are chosen, the others
// are negatives. Candidates are drawn uniformly; each stands for so many items that their sum estimates
// the sum over the catalog, and is that sum where all items are candidates.

import { nonNegativeNumber, positiveInteger, readSettings } from '../../core/settings.ts'
import type { Settings, SettingsInput } from '../../core/settings.ts'
import type { Tensor } from '../../kernels/index.ts'
import { gatherTargets, scoreColumns } from './loss.ts'
import type { Loss, Scored, Targets } from './loss.ts'

const settings = {
  // A small step draws more, up to the whole catalog, while that costs no more than a large one.
  candidates: positiveInteger('Minimum of candidates per step', 256),
  // With 0.1, ten negatives count as much as all items together.
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
 * Settings of {@link ranking}: `candidates` per step, at least (256 by default), and the weights of
 * negatives beside a chosen item and without one (`negativeWeight`, `unchosenWeight`, 0.1 each).
 */
export type RankingOptions = SettingsInput<typeof settings>

/** Scores per step (moments × candidates) up to which more candidates are drawn. */
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
  const complete = readSettings('ranking', settings, options)
  return {
    name: 'ranking',
    scoresAll: false,
    ranks: true,
    candidates({ rows, items }, random, itemCount = 1 + items.reduce((a, b) => Math.max(a, b), 0)) {
      const affordable = Math.floor(scoresPerStep / Math.max(1, rows.length))
      const count = Math.min(itemCount, Math.max(complete.candidates, affordable))
      if (count < itemCount) return random.choose(count, itemCount)
      return Int32Array.from({ length: itemCount }, (_, item) => item)
    },
    apply: (scored, targets, candidates) => rankingLoss(scored, targets, candidates, complete),
  }
}

/** The mean loss; accumulates its gradients. */
function rankingLoss(
  scored: Scored,
  targets: Targets,
  candidates: Int32Array,
  { negativeWeight, unchosenWeight }: Settings<typeof settings>,
): number {
  const moments = momentsOf(targets)
  const rows = Int32Array.from(moments, ({ row }) => row)
  const { hidden, back } = gatherTargets(scored, { ...targets, rows })
  const { items, scores, backItems } = scoreColumns(scored, hidden, candidates)
  const pairs = scorePairs(scored, targets)
  const weights = weightsOf(moments, targets, unchosenWeight)
  const { itemCount } = scored
  const columns = columnsOf(candidates)
  const slopes = new Float32Array(weights.length)
  const masses = new Float64Array(candidates.length)
  const common = { targets, weights, columns, itemCount, negativeWeight, masses }
  const context = { ...common, pairs: pairs.values, slopes }
  let sum = 0
  for (const [i, moment] of moments.entries()) {
    const row = scores.values.subarray(i * scores.columns, (i + 1) * scores.columns)
    sum += lossOf(moment, row, context)
  }
  const dHidden = scored.workspace.matrix('dHidden', hidden.rows, hidden.columns)
  scored.engine.trusted.multiply({ a: scores, b: items, out: dHidden })
  back(dHidden)
  backItems()
  pairs.back(slopes)
  return sum
}

/** Targets of one output row, by their index. */
interface Moment {
  readonly row: number
  readonly chosen: number[]
  readonly negatives: number[]
}

/** An item that was chosen at a moment is no negative there, whatever else was reported. */
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

/** Weights of chosen items and of negatives alone, summing to 1: the scale of rewards is no matter. */
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

/** s = μᵀθ (+ bias) of each target; `back` accumulates what follows from their gradient. */
function scorePairs({ engine, workspace, theta, dTheta, bias, ...scored }: Scored, of: Targets) {
  const pairs = {
    rowIndices: workspace.indices('pair rows', of.rows),
    itemIndices: workspace.indices('pair items', of.items),
    rows: theta,
    items: scored.items,
  }
  const scores: Tensor = workspace.matrix('pair scores', 1, of.rows.length)
  engine.trusted.scorePairs({ ...pairs, scores })
  const { values } = scores
  if (bias !== null)
    for (const [i, item] of of.items.entries()) values[i]! += bias.value.values[item]!
  return {
    values,
    back(slopes: Float32Array) {
      // Not `values`: the engine's memory may have grown since, which detaches it.
      scores.values.set(slopes)
      const { dItems } = scored
      engine.trusted.scorePairsBackward({ ...pairs, dScores: scores, dRows: dTheta, dItems })
      if (bias === null) return
      for (const [i, item] of of.items.entries()) bias.gradient.values[item]! += slopes[i]!
    },
  }
}

/** In which column each candidate stands. */
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
  /** Room for one value per candidate. */
  readonly masses: Float64Array
}

/** The weighted loss of a moment; turns the scores of the candidates in `row` into gradients. */
function lossOf(moment: Moment, row: Float32Array, context: Context): number {
  const isAnswered = moment.chosen.length > 0
  let top = -Infinity
  for (let column = 0; column < row.length; column++) top = Math.max(top, row[column]!)
  if (isAnswered) {
    for (const i of moment.chosen) top = Math.max(top, context.pairs[i]!)
    for (const i of moment.negatives) top = Math.max(top, context.pairs[i]!)
  }
  const { masses } = context
  let sum = 0
  for (let column = 0; column < row.length; column++) {
    const mass = Math.exp(row[column]! - top)
    masses[column] = mass
    sum += mass
  }
  const scaled = { top, masses, sum, row }
  return isAnswered ? chosenLoss(moment, scaled, context) : negativeLoss(moment, scaled, context)
}

/** Candidates of a moment as e^(score − top), and where their gradients go. */
interface Scaled {
  readonly top: number
  readonly masses: Float64Array
  readonly sum: number
  readonly row: Float32Array
}

function chosenLoss({ chosen, negatives }: Moment, scaled: Scaled, context: Context): number {
  const { top, masses, sum, row } = scaled
  const { targets, weights, pairs, slopes, columns, itemCount, negativeWeight } = context
  const left = negatives.map((i) => negativeWeight * itemCount * Math.exp(pairs[i]! - top))
  const leftSum = left.reduce((a, b) => a + b, 0)
  let [loss, share, leftShare] = [0, 0, 0]
  const own: (readonly [column: number, share: number])[] = []
  for (const i of chosen) {
    const column = columns.get(targets.items[i]!)
    const others = masses.length - Number(column !== undefined)
    const standsFor = others === 0 ? 0 : (itemCount - 1) / others
    const otherSum = Math.max(0, sum - (column === undefined ? 0 : masses[column]!))
    const mass = Math.exp(pairs[i]! - top)
    const total = mass + standsFor * otherSum + leftSum
    const weight = weights[i]!
    loss += weight * (Math.log(total) + top - pairs[i]!)
    slopes[i] = weight * (mass / total - 1)
    share += (weight * standsFor) / total
    leftShare += weight / total
    if (column !== undefined) own.push([column, (weight * standsFor) / total])
  }
  for (let column = 0; column < row.length; column++) row[column] = masses[column]! * share
  // A chosen item is not among the others that it is compared with.
  for (const [column, ownShare] of own) row[column]! -= masses[column]! * ownShare
  for (const [at, i] of negatives.entries()) slopes[i] = left[at]! * leftShare
  return loss
}

function negativeLoss({ negatives }: Moment, scaled: Scaled, context: Context): number {
  const { top, masses, sum, row } = scaled
  const typical = Math.log(sum / masses.length) + top
  let [loss, share] = [0, 0]
  for (const i of negatives) {
    const above = context.pairs[i]! - typical
    const weight = context.weights[i]!
    loss += weight * (Math.max(above, 0) + Math.log1p(Math.exp(-Math.abs(above))))
    const slope = weight / (1 + Math.exp(-above))
    context.slopes[i] = slope
    share += slope / sum
  }
  for (let column = 0; column < row.length; column++) row[column] = -masses[column]! * share
  return loss
}
