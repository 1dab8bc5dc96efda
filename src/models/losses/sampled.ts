// Losses over a sample of the catalog: the targets of the batch and shared extra negatives.
//
// Column j of the scores is item columns[j]. The first columns are the targets in order, so the
// positive of row i is on the diagonal and the targets of the other rows are its negatives. Columns
// are gathered before scoring, so the cost of a step depends on the sample, not on the catalog.

import { invalid, shapeMismatch } from '../../core/errors.ts'
import type { Tensor } from '../../kernels/index.ts'
import {
  choice,
  finiteNumber,
  nonNegativeInteger,
  nonNegativeNumber,
  positiveNumber,
  requireSettings,
} from '../../core/settings.ts'
import type { SettingsInput } from '../../core/settings.ts'
import { fillRowWeights, weightedSum, scoreColumns } from './loss.ts'
import type { Loss, RowLossOptions, Scored, Targets } from './loss.ts'
import type { Random } from '../../core/random.ts'

export const sampledSettings = {
  kind: choice("The loss; bpr-max is Hidasi and Karatzoglou's BPR-max", [
    'cross-entropy',
    'bpr-max',
  ]),
  negatives: nonNegativeInteger('Negatives per step, shared by all rows'),
  alpha: finiteNumber('Negatives are drawn in proportion to support^alpha'),
  logQ: finiteNumber(
    'Share of the log sampling weight to subtract from each score (cross-entropy); defaults to 0',
  ),
  regularization: nonNegativeNumber('Weight of squared negative scores (BPR-max); defaults to 0'),
  elu: nonNegativeNumber('α of an ELU on the scores; linear if absent (BPR-max)'),
  nominalRows: positiveNumber(
    'Number of rows that divides the gradients, also in smaller batches; defaults to the batch size',
  ),
} as const

/** Settings of {@link sampled}. */
export interface SampledOptions extends RowLossOptions, SettingsInput<typeof sampledSettings> {
  readonly kind: 'cross-entropy' | 'bpr-max'
  readonly negatives: number
  readonly alpha: number
  /** The number of interactions per item. Newer items are never drawn. */
  readonly support: Float64Array
}

/**
 * Creates a loss that compares each target with sampled items instead of the whole catalog:
 * cross-entropy or BPR-max. Use it for catalogs above 20,000 items.
 */
export function sampled(options: SampledOptions): Loss {
  requireSampled(options)
  const draw = createSampler(options.support.map((count) => count ** options.alpha))
  return {
    name: options.kind,
    scoresAll: false,
    candidates(_, random, itemCount = options.support.length) {
      requireNoMore(options.support, itemCount)
      return draw(options.negatives, random)
    },
    apply(scored, targets, candidates) {
      const columns = new Int32Array(targets.items.length + candidates.length)
      columns.set(targets.items)
      columns.set(candidates, targets.items.length)
      const { scores, back } = scoreColumns(scored, targets, columns)
      if (options.logQ)
        subtractLogQ(scores, options, columns.map(scored.itemOf), targets.items.length)
      const loss = lossOfRows(options, scored, scores, targets)
      back()
      return loss
    },
  }
}

function requireSampled(options: SampledOptions): void {
  requireSettings('sampled', sampledSettings, options)
  const { support } = options
  const at = support.findIndex((count) => !(count >= 0 && Number.isFinite(count)))
  if (at < 0) return
  throw invalid(`sampled.support[${at}] must be a finite number of at least 0, got ${support[at]}`)
}

/** The catalog may be larger than the supports, but not smaller. */
function requireNoMore({ length }: Float64Array, itemCount: number): void {
  if (length <= itemCount) return
  throw shapeMismatch(
    `sampled.support must have at most ${itemCount} values, one per item, got ${length}`,
  )
}

/** In-batch columns are sampled in proportion to their support, drawn ones to support^alpha. */
function subtractLogQ(
  scores: Tensor,
  options: SampledOptions,
  columns: Int32Array,
  inBatch: number,
): void {
  const { support, alpha, logQ = 0 } = options
  const correction = Float32Array.from(columns, (item, column) => {
    const logSupport = Math.log(Math.max(1, support[item] ?? 0)) // newer items have no support
    return logQ * (column < inBatch ? logSupport : alpha * logSupport)
  })
  const { values } = scores
  for (let i = 0; i < values.length; i++) values[i]! -= correction[i % columns.length]!
}

/** Returns the mean loss and replaces the scores by their gradient. */
function lossOfRows(
  options: SampledOptions,
  { engine, workspace }: Scored,
  scores: Tensor,
  { rewards }: Targets,
): number {
  const losses = workspace.matrix('losses', 1, scores.rows)
  const weights = workspace.matrix('weights', 1, scores.rows)
  fillRowWeights(weights.values, { rewards }, options)
  const targets = workspace.indices(
    'diagonal',
    Int32Array.from({ length: scores.rows }, (_, i) => i),
  )
  if (options.kind === 'cross-entropy') {
    engine.trusted.crossEntropyRows({ logits: scores, targets, weights, losses })
  } else {
    const { regularization = 0, elu } = options
    const shape = { elu: elu !== undefined, alpha: elu ?? 0 }
    engine.trusted.bprMaxRows({ ...shape, regularization, scores, targets, weights, losses })
  }
  const { nominalRows = scores.rows } = options
  return (weightedSum(losses.values, weights.values) * nominalRows) / scores.rows
}

// Draws items with replacement in proportion to fixed weights, by the alias method of Walker and
// Vose: O(K) setup, O(1) per draw.

type Sampler = (count: number, random: Random) => Int32Array

export function createSampler(weights: Float64Array): Sampler {
  const size = weights.length
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  if (!(total > 0 && Number.isFinite(total))) {
    throw invalid(`sampling weights must sum to a positive number, got ${total}`)
  }
  // Slot k returns item k with probability acceptance[k], else alias[k].
  const acceptance = weights.map((weight) => (weight * size) / total)
  const alias = Int32Array.from({ length: size }, (_, k) => k)
  const [small, large]: [number[], number[]] = [[], []]
  acceptance.forEach((share, k) => (share < 1 ? small : large).push(k))
  while (small.length > 0 && large.length > 0) {
    const [less, more] = [small.pop()!, large.pop()!]
    alias[less] = more
    acceptance[more]! -= 1 - acceptance[less]!
    ;(acceptance[more]! < 1 ? small : large).push(more)
  }
  return (count, random) =>
    Int32Array.from({ length: count }, () => {
      const slot = random.integer(size)
      return random.uniform() < acceptance[slot]! ? slot : alias[slot]!
    })
}
