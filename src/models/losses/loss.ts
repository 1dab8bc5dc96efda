// The interface of a loss, which measures the error of the scores μ_kᵀθ, and helpers of the losses.

import type { Random } from '../../core/random.ts'
import type { Engine, Tensor, Workspace } from '../../kernels/index.ts'

/** The targets of a step: at output row `rows[i]`, item `items[i]` has reward `rewards[i]`. */
export interface Targets {
  /** The output row of each target. */
  readonly rows: Int32Array
  /** The item of each target, as a row of the scored items. */
  readonly items: Int32Array
  /** The reward of each target. */
  readonly rewards: Float32Array
  /** Items that users left before they chose a target: see `leftLoss`. Defaults to none. */
  readonly left?: LeftTargets
}

/** Before the user chose target `targets[i]`, the user was shown `items[i]` and left it. */
export interface LeftTargets {
  /** The index of a target in the columns of `Targets`. */
  readonly targets: Int32Array
  /** The row of the item that the user left. */
  readonly items: Int32Array
}

export interface Scored {
  readonly engine: Engine
  readonly workspace: Workspace
  /** θ at every position (positions × d), and its accumulated gradient. */
  readonly theta: Tensor
  readonly dTheta: Tensor
  /** μ (items × d), and its accumulated gradient. */
  readonly items: Tensor
  readonly dItems: Tensor
  /** The number of items in the whole catalog, of which `items` may be a part. */
  readonly itemCount: number
  /** Returns the catalog item of a row of `items`. */
  readonly itemOf: (row: number) => number
  /** The item biases (items × 1), or null if the model has none. */
  readonly bias: { readonly value: Tensor; readonly gradient: Tensor } | null
}

/** A training loss: which items a step scores, and the gradient of their scores. */
export interface Loss {
  /** The name in error messages. */
  readonly name: string
  /** Whether the loss scores every item, so that a step touches the whole catalog. */
  readonly scoresAll: boolean
  /**
   * Whether this is a ranking loss; absent means no. Updates are then checked by rank, not by the
   * value of the loss.
   */
  readonly ranks?: boolean
  /**
   * Draws the items that the loss scores besides the targets. Called once per step; `itemCount` is
   * the size of the catalog, if known.
   */
  candidates(targets: Targets, random: Random, itemCount?: number): Int32Array
  /**
   * Returns the mean loss and accumulates its gradients. Items and candidates are rows of
   * `scored.items`.
   */
  apply(scored: Scored, targets: Targets, candidates: Int32Array): number
}

/** Settings of losses with one target per row. */
export interface RowLossOptions {
  /**
   * Whether targets are weighted by their rewards; rewards of 0 or less have no weight. Defaults to
   * false: equal weights.
   */
  readonly weighRewards?: boolean
}

export const noCandidates = new Int32Array()

/**
 * Fills in the weight of each target. They sum to 1, or to targets/nominalRows if that is given.
 */
export function fillRowWeights(
  weights: Float32Array,
  { rewards }: Pick<Targets, 'rewards'>,
  {
    weighRewards = false,
    nominalRows,
  }: RowLossOptions & { readonly nominalRows?: number | undefined },
): void {
  const rows = nominalRows ?? weights.length
  weights.fill(1 / rows)
  if (!weighRewards) return
  const average = rewards.reduce((sum, reward) => sum + Math.max(0, reward), 0) / rewards.length
  for (let i = 0; i < weights.length; i++) {
    weights[i]! *= average > 0 ? Math.max(0, rewards[i]!) / average : 0
  }
}

/** Gathers the output rows that have a target. `back` adds their gradient to the original rows. */
export function gatherTargets(
  { engine, workspace, theta, dTheta }: Scored,
  { rows }: Pick<Targets, 'rows'>,
) {
  const indices = workspace.indices('target rows', rows)
  const hidden = workspace.matrix('hidden', rows.length, theta.columns)
  engine.trusted.gather({ table: theta, indices, out: hidden })
  return {
    hidden,
    back: (dHidden: Tensor) =>
      engine.trusted.scatterAdd({ source: dHidden, indices, table: dTheta }),
  }
}

/**
 * Computes s = μᵀθ of each target, without biases. Call `back` after `scores` has been replaced by its
 * gradient, to accumulate the gradients of θ and the items.
 */
export function scoreTargets(scored: Scored, targets: Pick<Targets, 'rows' | 'items'>) {
  const { engine, workspace, theta, dTheta, items, dItems } = scored
  const rowIndices = workspace.indices('pair rows', targets.rows)
  const itemIndices = workspace.indices('pair items', targets.items)
  const scores = workspace.matrix('pair scores', 1, targets.rows.length)
  const pairs = { rowIndices, itemIndices, rows: theta, items }
  engine.trusted.scorePairs({ ...pairs, scores })
  return {
    scores,
    back: () =>
      engine.trusted.scorePairsBackward({ ...pairs, dScores: scores, dRows: dTheta, dItems }),
  }
}

/** Returns Σ w·l. */
export function weightedSum(losses: Float32Array, weights: Float32Array): number {
  let sum = 0
  for (let i = 0; i < losses.length; i++) sum += weights[i]! * losses[i]!
  return sum
}

/**
 * Computes scores = θ·μᵀ (+ bias), one row per row of the targets and one column per item in
 * `columns`. Call `back` after `scores` has been replaced by its gradient, to accumulate the gradients
 * of θ and the items.
 */
export function scoreColumns(scored: Scored, targets: Pick<Targets, 'rows'>, columns: Int32Array) {
  const { engine, workspace, bias } = scored
  const { addRow, gather, multiply, scatterAdd, sumRows } = engine.trusted
  const { hidden, back } = gatherTargets(scored, targets)
  const indices = workspace.indices('columns', columns)
  const items = workspace.matrix('column items', columns.length, hidden.columns)
  gather({ table: scored.items, indices, out: items })
  const scores = workspace.matrix('scores', hidden.rows, columns.length)
  multiply({ a: hidden, b: items, transposeB: true, out: scores })
  const biasColumn = workspace.matrix('column biases', columns.length, 1)
  const biasRow = engine.part(biasColumn, 0, 1, columns.length)
  if (bias !== null) {
    gather({ table: bias.value, indices, out: biasColumn })
    addRow({ row: biasRow, out: scores })
  }
  return {
    scores,
    back() {
      const dHidden = workspace.matrix('dHidden', hidden.rows, hidden.columns)
      multiply({ a: scores, b: items, out: dHidden })
      back(dHidden)
      multiply({ a: scores, b: hidden, transposeA: true, out: items })
      scatterAdd({ source: items, indices, table: scored.dItems })
      if (bias === null) return
      biasRow.values.fill(0)
      sumRows({ x: scores, out: biasRow })
      scatterAdd({ source: biasColumn, indices, table: bias.gradient })
    },
  }
}
