// A model as a safetensors file: its weights as tensors, its architecture and the names of its
// items in the metadata, so that the file alone is enough to serve.

import { RenError, invalid } from '../../core/errors.ts'
import { createRandom } from '../../core/random.ts'
import type { SettingsInput } from '../../core/settings.ts'
import type { Engine } from '../../kernels/index.ts'
import { createArchitecture } from '../architectures.ts'
import { gru4recParity } from '../gru4rec-parity.ts'
import { matrixFactorisation } from '../matrix-factorisation.ts'
import { zeros } from '../parameter.ts'
import { createSequenceModel } from '../sequence-model.ts'
import type { Architecture, SequenceModel } from '../sequence-model.ts'
import { biasFrom, embeddingsFrom, gruFromPyTorch } from './pytorch-import.ts'
import type { GateOrder } from './pytorch-import.ts'
import { readSafetensors, writeSafetensors } from './safetensors.ts'
import type { FileContents, TensorFile } from './safetensors.ts'

const FORMAT = 'ren-model-1'

/** A model with the names of its items. */
export interface NamedModel {
  readonly model: SequenceModel
  /** One a row; a recommender's may repeat, where an item was removed and came back. */
  readonly itemNames: readonly string[]
}

/**
 * Saves a model and the names of its items as a safetensors file, and returns the bytes.
 *
 * @param notes Further entries for the metadata of the file.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { createRandom } from 'ren-recommender'
 * import { createEngine } from 'ren-recommender/kernels'
 * import { createSequenceModel, gru4rec, saveModel } from 'ren-recommender/models'
 *
 * const itemNames = ['tea', 'coffee', 'cocoa']
 * const model = createSequenceModel(await createEngine(), gru4rec(), 3, createRandom(1))
 * await writeFile('model.safetensors', saveModel({ model, itemNames }, { trained: 'no' }))
 * ```
 */
export function saveModel(
  model: NamedModel,
  notes: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  return writeSafetensors(modelContents(model, notes))
}

/** What `saveModel` writes, for files that hold more. */
export function modelContents(
  { model, itemNames }: NamedModel,
  notes: Readonly<Record<string, string>> = {},
): FileContents {
  requireNames(itemNames, model.itemCount)
  for (const { name, value } of model.parameters) {
    const wrong = notFinite(name, value.values)
    if (wrong !== undefined) throw new RenError('non-finite-input', `saveModel: ${wrong}`)
  }
  const tensors = new Map(
    model.parameters.map(({ name, value }) => [
      name,
      { shape: [value.rows, value.columns], data: value.values },
    ]),
  )
  const metadata = {
    ...notes,
    format: FORMAT,
    architecture: JSON.stringify(model.architecture.description),
    itemNames: JSON.stringify(itemNames),
  }
  return { tensors, metadata }
}

/** Reads the architecture of a model file, without its weights. */
export function architectureIn(bytes: Uint8Array): Architecture {
  const file = readSafetensors(bytes, { inPlace: true })
  requireFormat(file)
  return describedIn(file)
}

/**
 * Loads a model from the bytes of a safetensors file that {@link saveModel} wrote.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * import { createEngine } from 'ren-recommender/kernels'
 * import { loadModel } from 'ren-recommender/models'
 *
 * const bytes = await readFile('model.safetensors')
 * const { model, itemNames } = loadModel(await createEngine(), bytes)
 * ```
 */
export function loadModel(engine: Engine, bytes: Uint8Array): NamedModel {
  const file = readSafetensors(bytes, { inPlace: true })
  requireFormat(file)
  const architecture = describedIn(file)
  const itemNames = namesIn(file)
  // The catalog's size is taken from a tensor that is there, never from a mere claim.
  if (file.shape('items')[0] !== itemNames.length + 1) {
    throw malformed(`items: expected ${itemNames.length + 1} rows for ${itemNames.length} names`)
  }
  const { held, release } = holdTo(file, engine)
  const model = orMalformed(() =>
    createSequenceModel(held, architecture, itemNames.length, createRandom(0), zeros),
  )
  release()
  requireOwn(file, model, itemNames)
  for (const { name, value } of model.parameters) {
    value.values.set(finite(name, file.floats(name)))
  }
  return { model, itemNames }
}

function requireFormat({ metadata }: TensorFile): void {
  if (metadata['format'] === FORMAT) return
  throw malformed(`expected a file of format ${FORMAT}, got ${metadata['format'] ?? 'none'}`)
}

/** The engine, giving out a matrix only in the shape of its tensor in the file until released. */
function holdTo(file: TensorFile, engine: Engine): { held: Engine; release: () => void } {
  // The model keeps the engine, which must not keep the file.
  let loading: TensorFile | null = file
  const matrix: Engine['matrix'] = (name, rows, columns) => {
    if (loading) requireShape(loading, name.replace('gradient of ', ''), rows, columns)
    return engine.matrix(name, rows, columns)
  }
  return {
    held: { ...engine, matrix },
    release() {
      loading = null
    },
  }
}

function requireShape(file: TensorFile, name: string, rows: number, columns: number): void {
  const shape = file.shape(name)
  if (shape.length === 2 && shape[0] === rows && shape[1] === columns) return
  throw malformed(`${name}: expected ${rows} × ${columns}, got ${shape.join(' × ')}`)
}

/** Where the parts of a GRU are in the file, and the names of the items. */
export interface ImportOptions {
  /** The tensor that holds the item embeddings, K × d. */
  readonly items: string
  /** The tensor that holds a bias for each item, K; none where absent. */
  readonly itemBias?: string
  /** What stands before `weight_ih_l0`, or `weight_ih`, in the names of the GRU's tensors. */
  readonly gruPrefix: string
  readonly gateOrder?: GateOrder
  readonly itemNames: readonly string[]
}

/** Imports a GRU with tied embeddings that was trained elsewhere, such as in PyTorch. */
export function importGru(engine: Engine, bytes: Uint8Array, options: ImportOptions): NamedModel {
  const file = readSafetensors(bytes)
  const items = embeddingsFrom(file, options.items)
  const weights = gruFromPyTorch(file, options.gruPrefix, {
    ...(options.gateOrder && { gateOrder: options.gateOrder }),
  })
  const { itemNames, itemBias } = options
  requireNames(itemNames, items.rows)
  requireDistinct(itemNames)
  const bias = itemBias === undefined ? undefined : biasFrom(file, itemBias, items.rows)
  const dimension = items.columns
  const architecture = gru4recParity({ dimension, cell: 'reset-after' })
  const model = createSequenceModel(engine, architecture, items.rows, createRandom(0))
  model.itemEmbeddings.values.set(finite(options.items, items.values))
  if (bias) model.itemBias!.values.set(finite(itemBias!, bias.values))
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

/**
 * Which tensor holds the item embeddings, the names of the items, and options of matrix
 * factorization.
 */
export interface EmbeddingsImportOptions extends Omit<
  SettingsInput<typeof matrixFactorisation.settings>,
  'dimension'
> {
  /** The tensor that holds the item embeddings, K × d. */
  readonly items: string
  readonly itemNames: readonly string[]
}

/**
 * Imports item embeddings from another system as matrix factorization. The user embedding is a
 * ridge fit of the user's rewards, so no training is needed.
 */
export function importEmbeddings(
  engine: Engine,
  bytes: Uint8Array,
  { items: name, itemNames, ...options }: EmbeddingsImportOptions,
): NamedModel {
  const items = embeddingsFrom(readSafetensors(bytes), name)
  requireNames(itemNames, items.rows)
  requireDistinct(itemNames)
  const architecture = matrixFactorisation({ ...options, dimension: items.columns })
  const model = createSequenceModel(engine, architecture, items.rows, createRandom(0))
  model.itemEmbeddings.values.set(finite(name, items.values))
  return { model, itemNames }
}

/** The architecture of the file, which must be described as it describes itself. */
function describedIn(file: TensorFile): Architecture {
  const described = descriptionIn(file)
  const architecture = orMalformed(() => createArchitecture(described))
  const expected = Object.entries(architecture.description)
  const missing = expected.find(([key, value]) => !Object.is(described[key], value))
  if (missing === undefined) return architecture
  const [key, value] = missing
  throw malformed(
    `architecture: expected ${key} of ${JSON.stringify(value)}, got ${JSON.stringify(described[key])}`,
  )
}

type Description = Architecture['description']

function descriptionIn(file: TensorFile): Description {
  const value = parse(file, 'architecture')
  if (
    typeof value === 'object' &&
    value !== null &&
    'model' in value &&
    typeof value.model === 'string'
  ) {
    return value as Description
  }
  throw malformed('architecture: expected an object that names a model')
}

function namesIn(file: TensorFile): readonly string[] {
  const value = parse(file, 'itemNames')
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value
  throw malformed('itemNames: expected a list of names')
}

function requireNames(itemNames: readonly string[], itemCount: number): void {
  if (itemNames.length !== itemCount) {
    throw new RenError(
      'shape-mismatch',
      `expected ${itemCount} item names, one an item, got ${itemNames.length}`,
    )
  }
}

function requireDistinct(itemNames: readonly string[]): void {
  const repeated = firstRepeated(itemNames)
  if (repeated === undefined) return
  throw invalid(`item names must differ, got ${JSON.stringify(repeated)} twice`)
}

function firstRepeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return names.find((name) => seen.size === seen.add(name).size)
}

/**
 * Beside a model, a file may hold what a recommender knows, under other names; but no weight that
 * the model has no place for, and in a model's own file each name once.
 */
function requireOwn(
  file: TensorFile,
  { parameters }: SequenceModel,
  itemNames: readonly string[],
): void {
  const known = new Set(parameters.map(({ name }) => name))
  const others = [...file.tensors.keys()].filter((name) => !known.has(name))
  const astray = others.find((name) => /^(items|itemBias|network\..*)$/s.test(name))
  if (astray !== undefined) throw malformed(`no parameter is called ${JSON.stringify(astray)}`)
  const isRecommender = others.length > 0 || file.metadata['recommender'] !== undefined
  if (!isRecommender) orMalformed(() => requireDistinct(itemNames))
}

/** What the file asks for, in the file's name where it cannot be. */
function orMalformed<R>(build: () => R): R {
  try {
    return build()
  } catch (cause) {
    const refused = cause instanceof RenError && cause.code === 'invalid-argument'
    if (refused || cause instanceof RangeError) throw malformed(cause.message, cause)
    throw cause
  }
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
  const wrong = notFinite(name, values)
  if (wrong === undefined) return values
  throw new RenError('non-finite-input', `model file: ${wrong}`)
}

function notFinite(name: string, values: Float32Array): string | undefined {
  const at = values.findIndex((value) => !Number.isFinite(value))
  return at < 0 ? undefined : `${name}: value ${at} is ${values[at]}, expected finite weights`
}

function malformed(message: string, cause?: unknown): RenError {
  return new RenError('file-malformed', `model file: ${message}`, { cause })
}
