// Checks whether an update made the model worse for held-out users: by the loss, or by the ranks of
// the chosen items if the loss is a ranking loss.

import { mean, standardError } from '../../core/statistics.ts'
import type { Random } from '../../core/random.ts'
import type { Tensor } from '../../kernels/index.ts'
import type { SequenceModel } from '../sequence-model.ts'
import { feedbackExample } from './feedback.ts'
import type { Feedback } from './feedback.ts'
import type { Example, Trainer } from './trainer.ts'

/** The loss or rank of held-out users before and after an update. */
export interface HeldOut {
  /**
   * `loss`: the mean loss (smaller is better). `ndcg`: the mean NDCG of chosen items (larger is
   * better).
   */
  readonly measure: 'loss' | 'ndcg'
  /** The measure before the update. */
  readonly before: number
  /** The measure after the update. */
  readonly after: number
}

export interface UpdateCheck {
  readonly measure: HeldOut['measure']
  /** Returns the measure of each case with the current weights. */
  measureCases(): readonly number[]
  isWorse(before: readonly number[], after: readonly number[]): boolean
}

/** The rise of the loss that is tolerated, as a share of the loss of predicting 0 everywhere. */
const toleratedRise = 0.1

/**
 * Checks the mean loss. It is worse if it exceeds `tolerance` times the old loss plus the
 * tolerated rise.
 */
export function lossCheck(
  trainer: Trainer,
  example: Example,
  { tolerance, meanSquare, random }: LossCheckOptions,
): UpdateCheck {
  const slack = toleratedRise * meanSquare
  return {
    measure: 'loss',
    measureCases: () => [trainer.loss(example, random.fork('judge'))],
    isWorse: ([before], [after]) => after! > tolerance * before! + slack,
  }
}

export interface LossCheckOptions {
  readonly tolerance: number
  /** The mean squared reward. It keeps the limit above 0 if nearly all rewards are 0. */
  readonly meanSquare: number
  readonly random: Random
}

/** Fewer cases give no estimate of the noise. */
const minCases = 5
/** The number of newest interactions per user. */
const casesPerUser = 10
/** The minimum number of sampled items, if the catalog has as many. */
const minItems = 1000
/** The maximum number of scores (cases × items) up to which more items are sampled. */
const maxScores = 2 ** 22
/** A decrease of the mean by more than this many standard errors is significant. */
const significantErrors = 2.5

/**
 * Checks the ranks of the newest interactions among a sample of the catalog, as the NDCG of one
 * relevant item: 1/log₂(1 + rank). The update is worse if the mean of the paired differences is
 * significantly below 0. Null if the held-out users chose nothing.
 */
export function rankCheck(
  model: SequenceModel,
  heldOut: readonly Feedback[],
  random: Random,
): UpdateCheck | null {
  const newest = heldOut.map(newestChoices).filter(({ observations }) => observations.length > 0)
  if (newest.length === 0) return null
  const example = feedbackExample(newest, model.architecture)
  const { rows, items } = example.targets
  const sampled = Math.max(minItems, Math.floor(maxScores / rows.length))
  const others = random.choose(Math.min(sampled, model.itemCount), model.itemCount)
  return {
    measure: 'ndcg',
    measureCases() {
      const { theta, scores } = scoreOthers(model, example, others)
      return Array.from(rows, (row, i) => {
        const own = scoreOf(model, theta, row, items[i]!)
        return 1 / Math.log2(1 + rankAmong(scores, i, others, items[i]!, own))
      })
    },
    isWorse(before, after) {
      const differences = after.map((value, i) => value - before[i]!)
      const noise = significantErrors * standardError(differences)
      return differences.length >= minCases && mean(differences) < -noise
    },
  }
}

function newestChoices({ history, observations }: Feedback): Feedback {
  const chosen = observations.filter(({ reward }) => reward > 0)
  const byTime = chosen.toSorted((a, b) => a.after - b.after)
  return { history, observations: byTime.slice(-casesPerUser) }
}

/** Scores the sampled items: μᵀθ (+ bias), one row per case. */
function scoreOthers(model: SequenceModel, { batch, targets }: Example, others: Int32Array) {
  const { engine, dimension } = model
  const workspace = model.workspace.within('judge')
  const theta = model.encode(batch)
  const hidden = workspace.matrix('hidden', targets.rows.length, dimension)
  const rows = workspace.indices('rows', targets.rows)
  engine.trusted.gather({ table: theta, indices: rows, out: hidden })
  const columns = workspace.matrix('columns', others.length, dimension)
  const indices = workspace.indices('items', others)
  engine.trusted.gather({ table: model.itemEmbeddings, indices, out: columns })
  const scores = workspace.matrix('scores', hidden.rows, others.length)
  engine.trusted.multiply({ a: hidden, b: columns, transposeB: true, out: scores })
  const bias = model.itemBias?.values
  if (bias !== undefined) {
    const { values } = scores
    for (let i = 0; i < values.length; i++) values[i]! += bias[others[i % others.length]!]!
  }
  return { theta, scores }
}

function scoreOf(model: SequenceModel, theta: Tensor, row: number, item: number): number {
  const { itemEmbeddings, itemBias } = model
  const { columns } = theta
  let score = itemBias?.values[item] ?? 0
  for (let i = 0; i < columns; i++) {
    score += theta.values[row * columns + i]! * itemEmbeddings.values[item * columns + i]!
  }
  return score
}

/** Returns the rank, from 1. Ties count against the item, so that constant scores rank last. */
function rankAmong(
  { values, columns }: Tensor,
  row: number,
  others: Int32Array,
  item: number,
  own: number,
): number {
  let rank = 1
  for (let column = 0; column < columns; column++) {
    if (others[column] !== item && !(values[row * columns + column]! < own)) rank += 1
  }
  return rank
}
