// What every loss is: a number that says how wrong the scores μ_kᵀθ are, and its gradient.

import type { Random } from '../../core/random.ts'
import type { Engine, Tensor, Workspace } from '../../kernels/index.ts'

/** The targets of a step: at output row `rows[i]`, item `items[i]` has reward `rewards[i]`. */
export interface Targets {
  readonly rows: Int32Array
  readonly items: Int32Array
  readonly rewards: Float32Array
}

export interface Scored {
  readonly engine: Engine
  readonly workspace: Workspace
  /** θ at every position (positions × d), and where its gradient is accumulated. */
  readonly theta: Tensor
  readonly dTheta: Tensor
  /** μ (items × d), and where its gradient is accumulated. */
  readonly items: Tensor
  readonly dItems: Tensor
  /** How many items the whole catalog has: `items` may be a part of it. */
  readonly itemCount: number
  /** Which item of the catalog a row of `items` is. */
  readonly itemOf: (row: number) => number
  /** One bias an item (items × 1), in models that have one. */
  readonly bias: { readonly value: Tensor; readonly gradient: Tensor } | null
}

/** A training loss: which items a step scores, and the gradient of their scores. */
export interface Loss {
  readonly name: string
  /** Whether every item of the catalog is scored, so that a step cannot touch only some. */
  readonly scoresAll: boolean
  /** Whether it teaches an order of the items: updates are then judged by rank, not by its value. */
  readonly ranks?: boolean
  /**
   * Items beside the targets' that this loss will score, drawn for each step from a catalog
   * of `itemCount` where that is known.
   */
  candidates(targets: Targets, random: Random, itemCount?: number): Int32Array
  /** The mean loss; accumulates its gradients. Items and candidates are rows of `scored.items`. */
  apply(scored: Scored, targets: Targets, candidates: Int32Array): number
}

/** What losses of one target per row have in common. */
export interface RowLossOptions {
  /**
   * Whether a target counts in proportion to its reward, and not at all from 0 down. Defaults to false: all
   * count alike.
   */
  readonly weighRewards?: boolean
}

export const noCandidates = new Int32Array()

/** How much each target counts; together 1, or targets/nominalRows where that is given. */
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

/** The output rows that have a target, gathered; `back` returns their gradient to where they stood. */
export function gatherTargets({ engine, workspace, theta, dTheta }: Scored, { rows }: Targets) {
  const indices = workspace.indices('target rows', rows)
  const hidden = workspace.matrix('hidden', rows.length, theta.columns)
  engine.trusted.gather({ table: theta, indices, out: hidden })
  return {
    hidden,
    back: (dHidden: Tensor) =>
      engine.trusted.scatterAdd({ source: dHidden, indices, table: dTheta }),
  }
}

/** Σ w·l of rows whose weights add up to 1. */
export function weightedSum(losses: Float32Array, weights: Float32Array): number {
  let sum = 0
  for (let i = 0; i < losses.length; i++) sum += weights[i]! * losses[i]!
  return sum
}

// The scores of some items, one column each, and the gradients of those items.

/** scores = hidden·μᵀ (+ bias) for these columns; `backItems` once `scores` is their gradient. */
export function scoreColumns(scored: Scored, hidden: Tensor, columns: Int32Array) {
  const { engine, workspace, bias } = scored
  const { addRow, gather, multiply, scatterAdd, sumRows } = engine.trusted
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
    items,
    scores,
    backItems() {
      multiply({ a: scores, b: hidden, transposeA: true, out: items })
      scatterAdd({ source: items, indices, table: scored.dItems })
      if (bias === null) return
      biasRow.values.fill(0)
      sumRows({ x: scores, out: biasRow })
      scatterAdd({ source: biasColumn, indices, table: bias.gradient })
    },
  }
}
