// Who says whether an update did harm: feedback of users who were held out, by the loss itself, or by
// the ranks of what they chose where the loss teaches an order.

import { mean, standardError } from '../../core/statistics.ts'
import type { Random } from '../../core/random.ts'
import type { Tensor } from '../../kernels/index.ts'
import type { SequenceModel } from '../sequence-model.ts'
import { feedbackExample } from './feedback.ts'
import type { Feedback } from './feedback.ts'
import type { Example, Trainer } from './trainer.ts'

/** The loss or rank of held-out users before and after an update. */
export interface HeldOut {
  /** The mean loss, smaller is better; or the mean NDCG of what they chose, larger is better. */
  readonly measure: 'loss' | 'ndcg'
  readonly before: number
  readonly after: number
}

export interface Judge {
  readonly measure: HeldOut['measure']
  /** The measure of each case, with the weights as they are. */
  assess(): readonly number[]
  isWorse(before: readonly number[], after: readonly number[]): boolean
}

/** Share of what guessing 0 everywhere would lose: a loss that rises by less is not clearly worse. */
const leastRise = 0.1

/** By the mean loss: worse where it is more than `tolerance` times what it was, and clearly larger. */
export function lossJudge(
  trainer: Trainer,
  example: Example,
  { tolerance, meanSquare, random }: LossJudgeOptions,
): Judge {
  const slack = leastRise * meanSquare
  return {
    measure: 'loss',
    assess: () => [trainer.loss(example, random.fork('judge'))],
    isWorse: ([before], [after]) => after! > tolerance * before! + slack,
  }
}

export interface LossJudgeOptions {
  readonly tolerance: number
  /** Of all rewards: where nearly all are 0, a loss near 0 may well be doubled. */
  readonly meanSquare: number
  readonly random: Random
}

/** Fewer would tell nothing about noise. */
const fewestCases = 5
/** Each user judges by so many of their newest interactions. */
const casesPerUser = 10
/** Among at least so many items, where the catalog has them. */
const leastItems = 1000
/** Scores at a time up to which they stand among more. */
const maxScores = 2 ** 22
/** A fall of the mean by more standard errors than this is more than noise. */
const clearly = 2.5

/**
 * By the ranks of the newest interactions among a sample of the catalog, as NDCG of one relevant item:
 * 1/log₂(1 + rank). Worse where the mean of the paired differences is clearly below 0. Null where
 * nobody chose anything.
 */
export function rankJudge(
  model: SequenceModel,
  heldOut: readonly Feedback[],
  random: Random,
): Judge | null {
  const newest = heldOut.map(newestChoices).filter(({ observations }) => observations.length > 0)
  if (newest.length === 0) return null
  const example = feedbackExample(newest, model.architecture)
  const { rows, items } = example.targets
  const room = Math.max(leastItems, Math.floor(maxScores / rows.length))
  const others = random.choose(Math.min(room, model.itemCount), model.itemCount)
  return {
    measure: 'ndcg',
    assess() {
      const { theta, scores } = scoreOthers(model, example, others)
      return Array.from(rows, (row, i) => {
        const own = scoreOf(model, theta, row, items[i]!)
        return 1 / Math.log2(1 + rankAmong(scores, i, others, items[i]!, own))
      })
    },
    isWorse(before, after) {
      const differences = after.map((value, i) => value - before[i]!)
      const noise = clearly * standardError(differences)
      return differences.length >= fewestCases && mean(differences) < -noise
    },
  }
}

function newestChoices({ history, observations }: Feedback): Feedback {
  const chosen = observations.filter(({ reward }) => reward > 0)
  const byTime = chosen.toSorted((a, b) => a.after - b.after)
  return { history, observations: byTime.slice(-casesPerUser) }
}

/** μᵀθ of the other items, one row per case. */
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

function scoreOf(
  { itemEmbeddings, itemBias }: SequenceModel,
  theta: Tensor,
  row: number,
  item: number,
) {
  const { columns } = theta
  let score = itemBias?.values[item] ?? 0
  for (let i = 0; i < columns; i++) {
    score += theta.values[row * columns + i]! * itemEmbeddings.values[item * columns + i]!
  }
  return score
}

/** From 1; an equal score stands before, so that a model that tells nothing apart ranks last. */
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
