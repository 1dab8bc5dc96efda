// Weight updates from a learner to the recommender that serves: the changed item rows, and the
// whole network. They are plain typed arrays, so that a thread can transfer them.

import { RenError, shapeMismatch } from '../core/errors.ts'
import type { Tensor } from '../kernels/index.ts'
import type { ItemDeviations, SequenceModel, TensorFile } from '../models/index.ts'
import { readSafetensors } from '../models/index.ts'
import { tablesOf } from '../models/training/item-deviations.ts'
import { namesIn } from './saved-values.ts'

/**
 * The weights that changed since the last update, to send from a learner to the recommender that
 * serves.
 */
export interface WeightUpdate extends LearningProgress {
  /** How many items the sender has. Rows of later items stay as they are. */
  readonly itemCount: number
  /** Embeddings, then biases and learned deviations if there are any. */
  readonly tables: readonly ChangedRows[]
  /** The parameters of the network, each with all its values. */
  readonly network: readonly WholeParameter[]
}

/** The events that weights have learned from. */
export interface LearningProgress {
  /** The number of the last event whose feedback was learned. */
  readonly trainedUpToEvent: number
  /** In slates up to this time, items without feedback have reward 0; −∞ for no slates. */
  readonly trainedUpToTime: number
  /** The number of attempted updates, including refused ones. */
  readonly fineTunes: number
}

interface ChangedRows extends WholeParameter {
  /**
   * In rising order, with one row of `values` each. Row 0 is the start vector, row k + 1 is item k.
   */
  readonly rows: Int32Array<ArrayBuffer>
}

interface WholeParameter {
  readonly name: string
  readonly values: Float32Array<ArrayBuffer>
}

/** Records which weights of a recommender change. */
export interface WeightWatch {
  /**
   * Returns the changes since the last call, or since the watch was created. The caller owns them.
   */
  changes(): WeightUpdate
}

/** Creates a watch of a model. It stores a 64-bit hash per item row. */
export function createWeightWatch(
  model: SequenceModel,
  progress: () => LearningProgress,
  deviations?: ItemDeviations,
): WeightWatch {
  const tables = () => tablesOf(model, deviations).map(({ parameter }) => parameter)
  const last = new Map(tables().map(({ name, value }) => [name, fingerprintsOf(value)]))
  return {
    changes: () => ({
      ...progress(),
      itemCount: model.itemCount,
      tables: tables().map(({ name, value }) => {
        const now = fingerprintsOf(value)
        const rows = changedRows(now, last.get(name)!)
        last.set(name, now)
        return { name, rows, values: gatherRows(value, rows) }
      }),
      network: model.network.parameters.map(({ name, value }) => ({
        name,
        values: value.values.slice(),
      })),
    }),
  }
}

/**
 * Turns weights of `saveWeights` into an update, for a rollback. Events that were learned since
 * then do not count as new again.
 */
export function updateFrom(saved: Uint8Array, last: WeightUpdate): WeightUpdate {
  const file = readSafetensors(saved)
  // Row 0 belongs to no item.
  const itemCount = file.shape(last.tables[0]!.name)[0]! - 1
  return { ...last, itemCount, ...weightsIn(file, last) }
}

/**
 * Returns the weights of a file by the names of `last`. Tables that the file lacks have no rows.
 */
function weightsIn(file: TensorFile, last: WeightUpdate): Pick<WeightUpdate, 'tables' | 'network'> {
  return {
    tables: last.tables.map(({ name }) => {
      const length = file.tensors.has(name) ? file.shape(name)[0]! : 0
      const rows = Int32Array.from({ length }, (_, row) => row)
      return { name, rows, values: length > 0 ? file.floats(name).slice() : new Float32Array() }
    }),
    network: last.network.map(({ name }) => ({ name, values: file.floats(name).slice() })),
  }
}

/**
 * Turns a separately trained model file into an update for the recommender that made `last`. Later
 * items and tables that the file lacks stay unchanged.
 *
 * @param names The item names of the receiver's rows; the file's items are the first of them.
 * @param progress Which events the file's weights have learned from.
 */
export function updateFromTrained(
  trained: Uint8Array,
  names: readonly string[],
  last: WeightUpdate,
  progress: LearningProgress,
): WeightUpdate {
  const file = readSafetensors(trained)
  const itemNames = namesIn(file, 'itemNames')
  const other = itemNames.findIndex((name, row) => name !== names[row])
  if (other >= 0) {
    const message = `weights: item ${other} must be ${names[other]}, got ${itemNames[other]}`
    throw shapeMismatch(message)
  }
  return { ...progress, itemCount: itemNames.length, ...weightsIn(file, last) }
}

/** Throws if an update contains values that are not finite. */
export function requireFiniteUpdate({ tables, network }: WeightUpdate): void {
  for (const { name, values } of [...tables, ...network]) {
    const at = values.findIndex((value) => !Number.isFinite(value))
    if (at < 0) continue
    const message = `weights: ${name} must be finite numbers, got ${values[at]} at place ${at}`
    throw new RenError('non-finite-input', message)
  }
}

/**
 * Writes an update into a model. Throws, and changes nothing, if the update does not fit or is not
 * finite.
 */
export function applyWeights(
  model: SequenceModel,
  update: WeightUpdate,
  deviations?: ItemDeviations,
): void {
  const tables = tablesOf(model, deviations).map(({ parameter }) => parameter.value)
  const network = model.network.parameters.map(({ value }) => value)
  requireFit(update, model.itemCount, tables, network)
  requireFiniteUpdate(update)
  for (const [i, changed] of update.tables.entries()) scatter(model, tables[i]!, changed)
  for (const [i, { values }] of update.network.entries()) network[i]!.values.set(values)
  model.markChanged()
}

/**
 * Computes two 32-bit hashes of each row. If one value changes, both hashes change. If several
 * values change, the chance to miss it is 1 in 2⁶⁴.
 */
function fingerprintsOf({ rows, columns, values }: Tensor): Int32Array {
  const bits = new Int32Array(values.buffer, values.byteOffset, values.length)
  const prints = new Int32Array(2 * rows)
  for (let row = 0; row < rows; row++) {
    let [one, other] = [0, 0]
    for (let at = row * columns; at < (row + 1) * columns; at++) {
      one = Math.imul(one ^ bits[at]!, 0x85ebca6b)
      one ^= one >>> 13
      other = Math.imul(other ^ bits[at]!, 0xc2b2ae35)
      other ^= other >>> 16
    }
    prints[2 * row] = one
    prints[2 * row + 1] = other
  }
  return prints
}

/** Returns the rows whose hashes differ, including new rows. */
function changedRows(now: Int32Array, before: Int32Array): Int32Array<ArrayBuffer> {
  const changed: number[] = []
  for (let at = 0; at < now.length; at += 2) {
    if (now[at] !== before[at] || now[at + 1] !== before[at + 1]) changed.push(at / 2)
  }
  return Int32Array.from(changed)
}

export function gatherRows(
  { values, columns }: Pick<Tensor, 'values' | 'columns'>,
  rows: Int32Array | readonly number[],
): Float32Array<ArrayBuffer> {
  const gathered = new Float32Array(rows.length * columns)
  for (const [i, row] of rows.entries()) {
    gathered.set(values.subarray(row * columns, (row + 1) * columns), i * columns)
  }
  return gathered
}

function scatter(
  { engine, workspace }: SequenceModel,
  table: Tensor,
  { rows, values }: ChangedRows,
): void {
  if (rows.length === 0) return
  const [first, last] = [rows[0]!, rows[rows.length - 1]!]
  // Consecutive rows, such as those of new items, are written at once.
  if (last - first + 1 === rows.length) return table.values.set(values, first * table.columns)
  const source = workspace.matrix(`changed ${table.name}`, rows.length, table.columns)
  source.values.set(values)
  engine.trusted.scatterRows({ source, indices: workspace.indices('changed', rows), table })
}

function requireFit(
  { itemCount, tables, network }: WeightUpdate,
  ownItems: number,
  ownTables: readonly Tensor[],
  ownNetwork: readonly Tensor[],
): void {
  if (itemCount > ownItems) {
    throw shapeMismatch(`weights: there must be at most ${ownItems} items, got ${itemCount}`)
  }
  requireSame(
    'tables of the widths',
    ownTables.map(({ columns }) => columns),
    tables.map(({ rows, values }, i) =>
      rows.length === 0 ? ownTables[i]?.columns : values.length / rows.length,
    ),
  )
  requireSame(
    'a network with parameters of the sizes',
    ownNetwork.map(({ values }) => values.length),
    network.map(({ values }) => values.length),
  )
}

function requireSame(what: string, own: readonly unknown[], got: readonly unknown[]): void {
  if (own.length === got.length && own.every((size, i) => size === got[i])) return
  throw shapeMismatch(`weights: ${what} must be ${own.join(', ')}, got ${got.join(', ')}`)
}
