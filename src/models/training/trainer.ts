// One training step: forward, loss, backward, update.
//
// With an optimizer that updates only touched rows, the step gathers these rows into a small table,
// runs on that table as if it were the whole catalog, and writes the rows back. The cost of a step
// then depends on the rows that it touches, not on the catalog.

import { RenError, invalid } from '../../core/errors.ts'
import type { Random } from '../../core/random.ts'
import { positiveNumber, requireSettings, shareBelowOne } from '../../core/settings.ts'
import type { Engine, Tensor } from '../../kernels/index.ts'
import type { SequenceBatch } from '../batch.ts'
import type { ItemTable } from '../item-table.ts'
import { dropout } from '../layers/feed-forward.ts'
import type { Loss, Targets } from '../losses/loss.ts'
import { leftLoss } from '../losses/ranking.ts'
import { normOf, scaleAll } from '../optimizers/optimizer.ts'
import type { Optimizer, TouchedRows } from '../optimizers/optimizer.ts'
import { createParameter } from '../parameter.ts'
import type { Parameter } from '../parameter.ts'
import { zeroMatrix } from '../layers/layer.ts'
import type { Layer } from '../layers/layer.ts'
import type { SequenceModel } from '../sequence-model.ts'
import { tablesOf } from './item-deviations.ts'
import type { DrawnStep, ItemDeviations } from './item-deviations.ts'
import type { Journal } from './weights.ts'

export interface TrainerOptions {
  /** Compares the model's scores with the targets of a step. */
  readonly loss: Loss
  /** Updates the weights by the gradients of the loss. Create it for this model. */
  readonly optimizer: Optimizer
  /**
   * The maximum norm of all gradients together; larger gradients are scaled down. Defaults to no
   * limit.
   */
  readonly clip?: number
  /** The dropout rate of the item embeddings at the input, against overfitting. Defaults to 0. */
  readonly inputDropout?: number
  /**
   * Records the item rows before a step changes them, if the step changes only some rows. Defaults
   * to no record.
   */
  readonly journal?: Journal
  /**
   * Learns the uncertainty of the item embeddings together with the embeddings. Defaults to not
   * learning it.
   */
  readonly deviations?: ItemDeviations
}

export interface Example {
  readonly batch: SequenceBatch
  readonly targets: Targets
  /** The initial state of recurrent layers. Defaults to zero. */
  readonly state?: Tensor
}

export interface StepResult {
  readonly loss: number
  /** θ at every position; borrowed until the next step. */
  readonly theta: Tensor
}

export interface Trainer {
  step(example: Example, random: Random): StepResult
  /**
   * Returns the mean loss without an update, at the mean of the item embeddings, without dropout.
   */
  loss(example: Example, random: Random): number
}

export function createTrainer(model: SequenceModel, options: TrainerOptions): Trainer {
  const { engine, network } = model
  requireTrainer(options)
  const { optimizer, clip, journal, inputDropout = 0 } = options
  const workspace = model.workspace.within('trainer')
  const input = dropout({ engine, workspace: workspace.within('input dropout') }, inputDropout)
  const parts: TrainerParts = { ...options, model, workspace, input }

  function step(example: Example, random: Random): StepResult {
    const assessed = assess(parts, example, random, true)
    const { theta, catalog, moving, indices, items, draw } = assessed
    const dX = input.backward(network.backward(assessed.dTheta))
    engine.trusted.scatterAdd({ source: dX, indices, table: items.gradient })
    draw?.backward()
    const gradients = moving.map((p) => p.gradient)
    const norm = normOf(engine, gradients)
    requireFinite("gradients' norm", norm)
    if (clip !== undefined && norm > clip) scaleAll(gradients, clip / norm)
    catalog.update(optimizer, journal)
    model.markChanged()
    requireFiniteWeights(engine, moving)
    return { loss: assessed.loss, theta }
  }

  return { step, loss: (example, random) => assess(parts, example, random, false).loss }
}

interface TrainerParts extends TrainerOptions {
  readonly model: SequenceModel
  readonly workspace: SequenceModel['workspace']
  /** Dropout of the inputs. */
  readonly input: Layer
}

/**
 * Computes the loss of the current weights, and its gradients by θ and items. Only with `learn`, it
 * draws dropout and item deviations.
 */
function assess(
  { model, workspace, input, loss, optimizer, ...options }: TrainerParts,
  { batch, targets, state }: Example,
  random: Random,
  learn: boolean,
) {
  const { engine, network } = model
  const deviations = learn ? options.deviations : undefined
  const { scoresAll } = loss
  const candidates = loss.candidates(targets, random, model.itemCount)
  const openCatalog = optimizer.rows === 'all' ? wholeCatalog : subCatalog
  const whole = { tables: tablesOf(model, deviations), rows: batch.rows, targets, candidates }
  const catalog = openCatalog(model, workspace, whole)
  const moving = [...network.parameters, ...catalog.tables]
  for (const { gradient } of moving) gradient.values.fill(0)

  const x = workspace.matrix('x', batch.rows.length, model.dimension)
  const indices = workspace.indices('x rows', catalog.rows)
  const items = catalog.tables[0]!
  const drawn = { ...catalog, items, deviations: catalog.tables.at(-1)!, scoresAll }
  const draw = deviations?.draw(drawn, random)
  const embeddings = draw?.embeddings ?? items.value
  engine.trusted.gather({ table: embeddings, indices, out: x })
  const pass = { batch, random: learn ? random : null }
  const theta = network.forward(input.forward(x, pass), { ...pass, ...(state && { state }) })
  const dTheta = zeroMatrix(workspace, 'dTheta', theta.rows, theta.columns)
  const scores = { theta, dTheta, ...scoredItems(model, catalog, embeddings) }
  const scored = { engine, workspace, ...scores }
  const ofCatalog = loss.apply(scored, catalog.targets, catalog.candidates)
  const value = ofCatalog + leftLoss(scored, catalog.targets)
  requireFinite('loss', value)
  return { loss: value, theta, dTheta, catalog, moving, indices, items, draw }
}

/** The rows that a loss scores: all but row 0, the start vector. */
function scoredItems({ engine, itemCount, biasTable }: SequenceModel, catalog: Catalog, x: Tensor) {
  const itemRows = (table: Tensor): Tensor => engine.part(table, 1, table.rows - 1)
  const [items, bias] = catalog.tables
  return {
    items: itemRows(x),
    dItems: itemRows(items!.gradient),
    itemCount,
    itemOf: catalog.itemOf,
    bias: biasTable && { value: itemRows(bias!.value), gradient: itemRows(bias!.gradient) },
  }
}

const settings = {
  clip: positiveNumber('Maximum norm of all gradients together'),
  inputDropout: shareBelowOne('Rate of dropout of the inputs'),
}

function requireTrainer(options: TrainerOptions): void {
  const { loss, optimizer } = options
  requireSettings('training', settings, options)
  if (loss.scoresAll && optimizer.rows === 'touched') {
    throw invalid(
      `${loss.name} scores the whole catalog, but ${optimizer.name} updates only touched items: ` +
        'use a sampled loss or a dense optimizer',
    )
  }
}

/** The item tables of a step, and the indices of its rows, targets and candidates in them. */
interface Catalog extends Pick<DrawnStep, 'rows' | 'targets' | 'candidates' | 'itemOf'> {
  readonly tables: readonly Parameter[]
  update(optimizer: Optimizer, journal: Journal | undefined): void
}

/** The tables and indices of a step in the whole catalog. */
interface WholeStep extends Pick<Catalog, 'rows' | 'targets' | 'candidates'> {
  readonly tables: readonly ItemTable[]
}

function wholeCatalog(model: SequenceModel, _: unknown, step: WholeStep): Catalog {
  const tables = step.tables.map((table) => table.parameter)
  return {
    ...step,
    tables,
    itemOf: (row) => row,
    update: (optimizer) => optimizer.step([...tables, ...model.network.parameters], []),
  }
}

function subCatalog(
  model: SequenceModel,
  workspace: SequenceModel['workspace'],
  { tables, rows, targets, candidates }: WholeStep,
): Catalog {
  const place = new Map([[0, 0]]) // row of the whole table → row of the small table
  const enter = (row: number): number => {
    const existing = place.get(row)
    if (existing !== undefined) return existing
    place.set(row, place.size)
    return place.size - 1
  }
  const enterItem = (item: number): number => enter(item + 1) - 1
  const { left } = targets
  const small = {
    rows: rows.map(enter),
    targets: {
      ...targets,
      items: targets.items.map(enterItem),
      ...(left && { left: { ...left, items: left.items.map(enterItem) } }),
    },
    candidates: candidates.map(enterItem),
  }
  const touched = Int32Array.from(place.keys())
  const gathered = tables.map((table) => gatherTouched(model.engine, workspace, table, touched))
  return {
    ...small,
    tables: gathered.map((t) => t.gathered),
    itemOf: (row) => touched[row + 1]! - 1,
    update(optimizer, journal) {
      journal?.note(gathered)
      optimizer.step(model.network.parameters, gathered)
    },
  }
}

function gatherTouched(
  engine: Engine,
  workspace: SequenceModel['workspace'],
  { parameter }: ItemTable,
  rows: Int32Array,
): TouchedRows {
  const { name, value } = parameter
  const shape = [rows.length, value.columns] as const
  const gathered = { ...createParameter(workspace, `touched ${name}`, shape), name }
  const indices = workspace.indices('touched', rows)
  engine.trusted.gather({ table: value, indices, out: gathered.value })
  return { parameter, rows, gathered }
}

function requireFinite(what: string, value: number): void {
  if (!Number.isFinite(value)) throw diverged(what, value)
}

/** An update with finite gradients can still overflow a weight, which must fail at once. */
function requireFiniteWeights(engine: Engine, moved: readonly Parameter[]): void {
  for (const { name, value } of moved) {
    if (engine.trusted.allFinite({ x: value }) === 1) continue
    throw diverged(
      `weights of ${name}`,
      value.values.find((weight) => !Number.isFinite(weight))!,
    )
  }
}

function diverged(what: string, value: number): RenError {
  return new RenError(
    'non-finite-result',
    `the ${what} became ${value}; the weights were restored: try a smaller rate, or clip gradients`,
  )
}
