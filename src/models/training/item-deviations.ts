// Item embeddings as Gaussians, x_k ~ N(μ_k, diag(σ_k²)), learned together with the model by the
// reparameterization trick: a step runs on x = μ + σ∘ε, so that ∂L/∂μ = g and ∂L/∂σ = g∘ε. The KL
// divergence from the prior N(μ_k, s₀²I), ½Σ(σ²/s₀² − 1 − ln(σ²/s₀²)), pulls σ_k back to s₀.
//
// σ = s₀·softplus(ρ)/ln 2, so that ρ = 0 is exactly the prior. An item that no step reads retains
// ρ = 0 (a softmax reads every item in every step; losses over shown items do not). Each observation
// of item k carries 1/n_k of its divergence. Over all n_k observations the divergence counts once, so
// that σ_k depends on the evidence about k and not on how often it is sampled.
//
// ρ needs to move by 1 to 2 at the optimizer's rate, against noisy gradients. With 40 items and Adam
// at a rate of 0.02, σ of often shown items reaches 0.5 of the prior after 300 steps and converges to
// 0.3 by 1,000 steps; before 100 steps it is not informative. At a rate of 0.001, it reaches 0.7
// after 3,000 steps.

import type { Random } from '../../core/random.ts'
import type { Tensor } from '../../kernels/index.ts'
import { createItemTable } from '../item-table.ts'
import type { ItemTable } from '../item-table.ts'
import type { Targets } from '../losses/loss.ts'
import { zeros } from '../parameter.ts'
import type { Parameter } from '../parameter.ts'
import { positiveNumber, requireSettings } from '../../core/settings.ts'
import type { SequenceModel } from '../sequence-model.ts'

/** Settings of {@link createItemDeviations}. */
export interface ItemDeviationsOptions {
  /** s₀, in the units of the embeddings. */
  readonly priorDeviation: number
  /** n_k: the number of observations of an item in the training data; at least 1 is assumed. */
  readonly observationsOf: (item: number) => number
  /**
   * The weight of the divergence relative to the loss: 1 for a negative log-likelihood, s² for
   * ½(score − reward)² if rewards have the standard deviation s. Defaults to 1.
   */
  readonly priorWeight?: number
}

/** The tables and indices of one step. Rows and items are indices into its tables. */
export interface DrawnStep {
  /** μ and ρ of the same rows. Row 0 is the start vector. */
  readonly items: Parameter
  readonly deviations: Parameter
  readonly rows: Int32Array
  readonly targets: Targets
  readonly candidates: Int32Array
  readonly scoresAll: boolean
  /** Returns the item of a row, counted without row 0. */
  readonly itemOf: (row: number) => number
}

export interface Draw {
  /** x = μ + σ∘ε in the rows that the step reads, μ in all others. */
  readonly embeddings: Tensor
  /** Accumulates the gradient of ρ from ∂L/∂x = ∂L/∂μ, the gradient of the items. */
  backward(): void
}

/** The learned standard deviation of each item embedding, as a source of uncertainty. */
export interface ItemDeviations {
  /** s₀: the deviation of an item without observations, in the units of the embeddings. */
  readonly priorDeviation: number
  /** ρ ((1 + K) × d), with as many rows as the item table. For training and files. */
  readonly table: ItemTable
  /** ‖σ_k‖∞ of every item. */
  deviations(): Float32Array
  /** Draws ε for one step. */
  draw(step: DrawnStep, random: Random): Draw
}

const settings = {
  priorDeviation: positiveNumber('Deviation s₀ of the prior'),
  priorWeight: positiveNumber('Weight of the divergence'),
}

/**
 * Creates deviations for the items of a model, to train with it (`deviations` of the training
 * options).
 */
export function createItemDeviations(
  model: SequenceModel,
  options: ItemDeviationsOptions,
): ItemDeviations {
  const { priorDeviation, observationsOf, priorWeight = 1 } = options
  requireSettings('itemDeviations', settings, options)
  const { engine, dimension } = model
  const workspace = model.workspace.within('item deviations')
  const table = createItemTable(engine, 'itemDeviations', model.itemCount, dimension, zeros)

  function grown(): ItemTable {
    const added = model.itemCount - table.itemCount
    if (added > 0) table.add(added, zeros)
    return table
  }

  return {
    priorDeviation,
    get table() {
      return grown()
    },
    deviations: () =>
      largestOfRows(grown().items).map((rho) => priorDeviation * relativeDeviation(rho)),
    draw(step, random) {
      const { items, deviations } = step
      const { rows, columns } = items.value
      const ranges = rangesOf(step, priorWeight, observationsOf)
      const embeddings = workspace.matrix('embeddings', rows, columns)
      const noise = workspace.matrix('noise', rows, columns) // s₀ε
      embeddings.values.set(items.value.values)
      const [x, scaled, rho] = [embeddings.values, noise.values, deviations.value.values]
      for (const { from, to } of ranges)
        for (let i = from; i < to; i++) {
          scaled[i] = priorDeviation * random.normal()
          x[i]! += relativeDeviation(rho[i]!) * scaled[i]!
        }
      return { embeddings, backward: () => accumulate(items.gradient, deviations, noise, ranges) }
    },
  }
}

const largestOfRows = ({ rows, columns, values }: Tensor): Float32Array =>
  Float32Array.from({ length: rows }, (_, row) =>
    values.subarray(row * columns, (row + 1) * columns).reduce((a, b) => Math.max(a, b)),
  )

/** Returns the tables of the embeddings, the biases (if any) and the deviations (if learned). */
export function tablesOf(
  { table, biasTable }: SequenceModel,
  deviations: ItemDeviations | undefined,
): readonly ItemTable[] {
  return [table, ...(biasTable ? [biasTable] : []), ...(deviations ? [deviations.table] : [])]
}

/** The range of a row that a step reads, and the share of its divergence that the step carries. */
interface RowRange {
  readonly from: number
  readonly to: number
  readonly share: number
}

function rangesOf(
  step: DrawnStep,
  priorWeight: number,
  observationsOf: (item: number) => number,
): readonly RowRange[] {
  const { rows, columns } = step.items.value
  return Array.from(countReads(step, rows), ([row, count]) => {
    const observations = Math.max(1, observationsOf(step.itemOf(row - 1)))
    const share = (priorWeight * count) / (observations * step.targets.rows.length)
    return { from: row * columns, to: (row + 1) * columns, share }
  })
}

/** Counts how often a step reads each row: once per target, or once if it is no target. */
function countReads(step: DrawnStep, rows: number): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const item of step.targets.items) counts.set(item + 1, (counts.get(item + 1) ?? 0) + 1)
  const addOnce = (row: number) => counts.set(row, counts.get(row) ?? 1)
  step.rows.forEach(addOnce)
  step.candidates.forEach((item) => addOnce(item + 1))
  step.targets.left?.items.forEach((item) => addOnce(item + 1))
  if (step.scoresAll) for (let row = 0; row < rows; row++) addOnce(row)
  counts.delete(0) // the start vector is no item
  return counts
}

/** Accumulates ∂/∂ρ of the loss (through x) and of this step's share of the divergence. */
function accumulate(
  { values: dX }: Tensor,
  deviations: Parameter,
  { values: noise }: Tensor,
  ranges: readonly RowRange[],
): void {
  const [rho, dRho] = [deviations.value.values, deviations.gradient.values]
  for (const { from, to, share } of ranges) {
    for (let i = from; i < to; i++) {
      const t = relativeDeviation(rho[i]!)
      dRho[i]! += (dX[i]! * noise[i]! + share * (t - 1 / t)) * relativeSlope(rho[i]!)
    }
  }
}

/** σ/s₀ = softplus(ρ)/ln 2, without overflow for either sign of ρ. */
function relativeDeviation(rho: number): number {
  return (Math.max(rho, 0) + Math.log1p(Math.exp(-Math.abs(rho)))) / Math.LN2
}

/** The derivative of `relativeDeviation`. */
function relativeSlope(rho: number): number {
  return 1 / (Math.LN2 * (1 + Math.exp(-rho)))
}
