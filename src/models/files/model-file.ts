// A model as a safetensors file: its weights as tensors, its architecture and the names of its
// items in the metadata, so that the file alone is enough to serve.

import { RenError } from '../../core/errors.ts'
import { createRandom } from '../../core/random.ts'
import type { Engine } from '../../kernels/index.ts'
import { createArchitecture } from '../architectures.ts'
import { gru4recParity } from '../gru4rec-parity.ts'
import { createSequenceModel } from '../sequence-model.ts'
import type { SequenceModel } from '../sequence-model.ts'
import { embeddingsFrom, gruFromPyTorch } from './pytorch-import.ts'
import type { GateOrder } from './pytorch-import.ts'
import { readSafetensors, writeSafetensors } from './safetensors.ts'
import type { TensorFile } from './safetensors.ts'

const FORMAT = 'ren-model-1'

/** A model with what its item rows are called. */
export interface NamedModel {
  readonly model: SequenceModel
  readonly itemNames: readonly string[]
}

export function saveModel({ model, itemNames }: NamedModel): Uint8Array<ArrayBuffer> {
  if (itemNames.length !== model.itemCount) {
    throw new RenError(
      'shape-mismatch',
      `expected ${model.itemCount} item names, one an item, got ${itemNames.length}`,
    )
  }
  const tensors = new Map(
    model.parameters.map(({ name, value }) => [
      name,
      { shape: [value.rows, value.columns], data: value.values },
    ]),
  )
  const metadata = {
    format: FORMAT,
    architecture: JSON.stringify(model.architecture.description),
    itemNames: JSON.stringify(itemNames),
  }
  return writeSafetensors({ tensors, metadata })
}

export function loadModel(engine: Engine, bytes: Uint8Array): NamedModel {
  const file = readSafetensors(bytes)
  if (file.metadata['format'] !== FORMAT) {
    throw malformed(`expected a file of format ${FORMAT}, got ${file.metadata['format'] ?? 'none'}`)
  }
  const architecture = createArchitecture(describedIn(file))
  const itemNames = namesIn(file)
  // The catalogue's size is taken from a tensor that is there, never from a mere claim.
  if (file.shape('items')[0] !== itemNames.length + 1) {
    throw malformed(`items: expected ${itemNames.length + 1} rows for ${itemNames.length} names`)
  }
  const { held, release } = holdTo(file, engine)
  const model = createSequenceModel(held, architecture, itemNames.length, createRandom(0))
  release()
  for (const { name, value } of model.parameters) {
    value.values.set(finite(name, file.floats(name)))
  }
  return { model, itemNames }
}

/** The engine, giving out a matrix only in the shape of its tensor in the file until released. */
function holdTo(file: TensorFile, engine: Engine): { held: Engine; release: () => void } {
  let loading = true
  const matrix: Engine['matrix'] = (name, rows, columns) => {
    if (loading) requireShape(name.replace('gradient of ', ''), rows, columns)
    return engine.matrix(name, rows, columns)
  }
  function requireShape(name: string, rows: number, columns: number): void {
    const shape = file.shape(name)
    if (shape.length === 2 && shape[0] === rows && shape[1] === columns) return
    throw malformed(`${name}: expected ${rows} × ${columns}, got ${shape.join(' × ')}`)
  }
  return {
    held: { ...engine, matrix },
    release() {
      loading = false
    },
  }
}

export interface ImportOptions {
  /** The tensor that holds the item embeddings, K × d. */
  readonly items: string
  /** What stands before `weight_ih_l0` in the names of the GRU's tensors. */
  readonly gruPrefix: string
  readonly gateOrder?: GateOrder
  readonly itemNames: readonly string[]
}

/** A GRU with tied embeddings that was trained elsewhere, to be served here. */
export function importGru(engine: Engine, bytes: Uint8Array, options: ImportOptions): NamedModel {
  const file = readSafetensors(bytes)
  const items = embeddingsFrom(file, options.items)
  const weights = gruFromPyTorch(file, options.gruPrefix, {
    ...(options.gateOrder && { gateOrder: options.gateOrder }),
  })
  const { itemNames } = options
  if (itemNames.length !== items.rows) {
    throw new RenError(
      'shape-mismatch',
      `expected ${items.rows} item names, got ${itemNames.length}`,
    )
  }
  const dimension = items.columns
  const architecture = gru4recParity({ dimension, cell: 'reset-after' })
  const model = createSequenceModel(engine, architecture, items.rows, createRandom(0))
  model.itemEmbeddings.values.set(finite(options.items, items.values))
  for (const { name, value } of model.network.parameters) {
    const part = name.slice(name.lastIndexOf('.') + 1) as keyof typeof weights
    const { rows, columns, values } = weights[part]
    if (rows !== value.rows || columns !== value.columns) {
      throw new RenError(
        'shape-mismatch',
        `${part}: expected ${value.rows} × ${value.columns} for embeddings of ${dimension}, got ${rows} × ${columns}`,
      )
    }
    value.values.set(finite(part, values))
  }
  return { model, itemNames }
}

function describedIn(file: TensorFile): { readonly model: string } {
  const value = parse(file, 'architecture')
  if (
    typeof value === 'object' &&
    value !== null &&
    'model' in value &&
    typeof value.model === 'string'
  ) {
    return value as { readonly model: string }
  }
  throw malformed('architecture: expected an object that names a model')
}

function namesIn(file: TensorFile): readonly string[] {
  const value = parse(file, 'itemNames')
  if (Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string')) {
    return value
  }
  throw malformed('itemNames: expected a list of names')
}

function parse(file: TensorFile, key: string): unknown {
  const text = file.metadata[key]
  if (text === undefined) throw malformed(`the metadata has no ${key}`)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw malformed(`${key}: expected JSON`, cause)
  }
}

function finite(name: string, values: Float32Array): Float32Array {
  const at = values.findIndex((value) => !Number.isFinite(value))
  if (at < 0) return values
  throw malformed(`${name}: value ${at} is ${values[at]}, expected finite weights`)
}

function malformed(message: string, cause?: unknown): RenError {
  return new RenError('file-malformed', `model file: ${message}`, { cause })
}
