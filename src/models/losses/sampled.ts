// Losses over a sample of the catalog: the targets of the batch and shared extra negatives.
//
// Column j of the scores is item columns[j]. The first columns are the targets in order, so row i's
// positive stands on the diagonal and every other row's target is a negative for it. The columns
// are gathered before anything is scored: a step costs what it samples, not the catalog.

import { RenError, invalid } from '../../core/errors.ts'
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
import { fillRowWeights, gatherTargets, weightedSum, scoreColumns } from './loss.ts'
import type { Loss, RowLossOptions, Scored, Targets } from './loss.ts'
import type { Random } from '../../core/random.ts'

const settings = {
  kind: choice("The loss; bpr-max is Hidasi and Karatzoglou's BPR-max", [
    'cross-entropy',
    'bpr-max',
  ]),
  negatives: nonNegativeInteger('Negatives that all rows of a step share'),
  alpha: finiteNumber('Negatives are drawn by support^alpha'),
  logQ: finiteNumber(
    'Share of the logarithm of its sampling weight that is taken off each score (cross-entropy)',
  ),
  regularisation: nonNegativeNumber('Weight of the squared scores of negatives (BPR-max)'),
  elu: nonNegativeNumber('α of an ELU on the scores; linear where absent (BPR-max)'),
  nominalRows: positiveNumber(
    'Rows to divide gradients by, even in a batch that has shrunk; else by its own',
  ),
} as const

/** Settings of {@link sampled}. */
export interface SampledOptions extends RowLossOptions, SettingsInput<typeof settings> {
  readonly kind: 'cross-entropy' | 'bpr-max'
  readonly negatives: number
  readonly alpha: number
  /** How often each item was taken. Items added since are never drawn. */
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
      const { multiply } = scored.engine.trusted
      const { hidden, back } = gatherTargets(scored, targets)
      const columns = new Int32Array(targets.items.length + candidates.length)
      columns.set(targets.items)
      columns.set(candidates, targets.items.length)
      const { items, scores, backItems } = scoreColumns(scored, hidden, columns)
      if (options.logQ)
        takeOffLogQ(scores, options, columns.map(scored.itemOf), targets.items.length)
      const loss = lossOfRows(options, scored, scores, targets)
      const dHidden = scored.workspace.matrix('dHidden', hidden.rows, hidden.columns)
      multiply({ a: scores, b: items, out: dHidden })
      back(dHidden)
      backItems()
      return loss
    },
  }
}

function requireSampled(options: SampledOptions): void {
  requireSettings('sampled', settings, options)
  const { support } = options
  const at = support.findIndex((count) => !(count >= 0 && Number.isFinite(count)))
  if (at < 0) return
  throw invalid(`sampled: support[${at}] must be a finite number of at least 0, got ${support[at]}`)
}

/** An item may be newer than the supports, but none can be drawn that the catalog lacks. */
function requireNoMore({ length }: Float64Array, itemCount: number): void {
  if (length <= itemCount) return
  throw new RenError(
    'shape-mismatch',
    `sampled: expected the support of at most ${itemCount} items, one an item, got ${length}`,
  )
}

/** In-batch columns come as often as they are taken, sampled ones by support^alpha. */
function takeOffLogQ(
  scores: Tensor,
  options: SampledOptions,
  columns: Int32Array,
  inBatch: number,
): void {
  const { support, alpha, logQ = 0 } = options
  const correction = Float32Array.from(columns, (item, column) => {
    const logSupport = Math.log(Math.max(1, support[item] ?? 0)) // an item may be newer
    return logQ * (column < inBatch ? logSupport : alpha * logSupport)
  })
  const { values } = scores
  for (let i = 0; i < values.length; i++) values[i]! -= correction[i % columns.length]!
}

/** Turns the scores into their gradient; the mean loss. */
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
    const { regularisation = 0, elu } = options
    const shape = { elu: elu !== undefined, alpha: elu ?? 0 }
    engine.trusted.bprMaxRows({ ...shape, regularisation, scores, targets, weights, losses })
  }
  const { nominalRows = scores.rows } = options
  return (weightedSum(losses.values, weights.values) * nominalRows) / scores.rows
}

// Draws items with replacement in proportion to fixed weights, by Walker's and Vose's alias method:
// O(K) to set up, O(1) a draw.

type Sampler = (count: number, random: Random) => Int32Array

export function createSampler(weights: Float64Array): Sampler {
  const size = weights.length
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  if (!(total > 0 && Number.isFinite(total))) {
    throw invalid(`sampling weights must sum to a positive number, got ${total}`)
  }
  // Slot k keeps item k with probability keep[k] and gives alias[k] otherwise.
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
