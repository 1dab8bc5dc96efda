// Item embeddings as Gaussians, x_k ~ N(μ_k, diag(σ_k²)), learned together with the model by the
// reparameterisation trick: a step runs on x = μ + σ∘ε, so that ∂L/∂μ = g and ∂L/∂σ = g∘ε, and the
// prior N(μ_k, s₀²I) pulls σ_k back by its divergence ½Σ(σ²/s₀² − 1 − ln(σ²/s₀²)).
//
// σ = s₀·softplus(ρ)/ln 2, so that ρ = 0 is the prior exactly. An item that no step looks at keeps
// ρ = 0 (softmax looks at every item in every step; losses of what was shown do not). Each
// observation of item k carries 1/n_k of its divergence: over all n_k it counts once, however often
// a row is drawn, and σ_k settles by the evidence on k and not by the sampling.
//
// ρ has a way of 1 to 2 to go at the optimizer's rate, against noisy gradients: of 40 items, those
// shown often stand at 0.5 of the prior after 300 steps of Adam at 0.02 and settle at 0.3 by 1,000;
// before 100 steps σ says nothing. At a rate of 0.001 it takes 3,000 steps to reach 0.7.

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
  /** n_k: how many observations of an item training draws from; less than one counts as one. */
  readonly observationsOf: (item: number) => number
  /**
   * What the divergence weighs against the loss: 1 for losses that are −ln of a likelihood, s² for
   * ½(score − reward)² where rewards have the deviation s. Defaults to 1.
   */
  readonly priorWeight?: number
}

/** What a step works on; rows and items are numbered as in its tables. */
export interface DrawnStep {
  /** μ and ρ of the same rows, the first of which is the start of a sequence. */
  readonly items: Parameter
  readonly deviations: Parameter
  readonly rows: Int32Array
  readonly targets: Targets
  readonly candidates: Int32Array
  readonly scoresAll: boolean
  readonly itemOf: (row: number) => number
}

export interface Draw {
  /** x = μ + σ∘ε in rows that the step looks at, μ in all others. */
  readonly embeddings: Tensor
  /** From ∂L/∂x, which is ∂L/∂μ and stands in the gradient of the items, to the gradient of ρ. */
  backward(): void
}

/** The learned standard deviation of each item embedding, as a source of uncertainty. */
export interface ItemDeviations {
  readonly priorDeviation: number
  /** ρ ((1 + K) × d); as many rows as the model has. For training and files. */
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
  requireSettings('item deviations', settings, options)
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
    deviations() {
      const largest = largestOfRows(grown().items)
      return largest.map((rho) => priorDeviation * relativeDeviation(rho))
    },
    draw(step, random) {
      const { items, deviations } = step
      const { rows, columns } = items.value
      const looks = looksOf(step, priorWeight, observationsOf)
      const embeddings = workspace.matrix('embeddings', rows, columns)
      const noise = workspace.matrix('noise', rows, columns) // s₀ε
      const { values } = noise
      for (const { from, to } of looks) {
        for (let i = from; i < to; i++) values[i] = priorDeviation * random.normal()
      }
      addNoise(items.value, deviations.value, noise, looks, embeddings)
      return { embeddings, backward: () => accumulate(items.gradient, deviations, noise, looks) }
    },
  }
}

const largestOfRows = ({ rows, columns, values }: Tensor): Float32Array =>
  Float32Array.from({ length: rows }, (_, row) =>
    values.subarray(row * columns, (row + 1) * columns).reduce((a, b) => Math.max(a, b)),
  )

/** The embeddings, then the biases where there are any, then the deviations where they are learned. */
export function tablesOf(
  { table, biasTable }: SequenceModel,
  deviations: ItemDeviations | undefined,
): readonly ItemTable[] {
  return [table, ...(biasTable ? [biasTable] : []), ...(deviations ? [deviations.table] : [])]
}

/** Where a row that a step looks at stands, and how much of its divergence the step carries. */
interface Look {
  readonly from: number
  readonly to: number
  readonly share: number
}

function looksOf(
  step: DrawnStep,
  priorWeight: number,
  observationsOf: (item: number) => number,
): readonly Look[] {
  const { rows, columns } = step.items.value
  return Array.from(countLooks(step, rows), ([row, count]) => {
    const observations = Math.max(1, observationsOf(step.itemOf(row - 1)))
    const share = (priorWeight * count) / (observations * step.targets.rows.length)
    return { from: row * columns, to: (row + 1) * columns, share }
  })
}

/** How often a step looks at a row: as often as it is a target, or once where it only appears. */
function countLooks(step: DrawnStep, rows: number): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const item of step.targets.items) counts.set(item + 1, (counts.get(item + 1) ?? 0) + 1)
  const appear = (row: number) => counts.set(row, counts.get(row) ?? 1)
  step.rows.forEach(appear)
  step.candidates.forEach((item) => appear(item + 1))
  if (step.scoresAll) for (let row = 0; row < rows; row++) appear(row)
  counts.delete(0) // the start of a sequence is no item
  return counts
}

/** x = μ + σ∘ε. */
function addNoise(
  { values: mu }: Tensor,
  { values: rho }: Tensor,
  { values: noise }: Tensor,
  looks: readonly Look[],
  { values: x }: Tensor,
): void {
  x.set(mu)
  for (const { from, to } of looks) {
    for (let i = from; i < to; i++) x[i]! += relativeDeviation(rho[i]!) * noise[i]!
  }
}

/** ∂/∂ρ of the loss, by way of x, and of this step's share of the divergence. */
function accumulate(
  { values: dX }: Tensor,
  deviations: Parameter,
  { values: noise }: Tensor,
  looks: readonly Look[],
): void {
  const [rho, dRho] = [deviations.value.values, deviations.gradient.values]
  for (const { from, to, share } of looks) {
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

/** Its derivative. */
function relativeSlope(rho: number): number {
  return 1 / (Math.LN2 * (1 + Math.exp(-rho)))
}
