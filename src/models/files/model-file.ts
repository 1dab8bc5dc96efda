// A model as a safetensors file. The tensors are its weights; the metadata holds its architecture and
// the names of its items, so that the file alone is enough to serve.

import { RenError, invalid, shapeMismatch } from '../../core/errors.ts'
import { createRandom } from '../../core/random.ts'
import type { Engine } from '../../kernels/index.ts'
import { createArchitecture } from '../architectures.ts'
import { zeros } from '../parameter.ts'
import { createSequenceModel } from '../sequence-model.ts'
import type { Architecture, SequenceModel } from '../sequence-model.ts'
import { readSafetensors, writeSafetensors } from './safetensors.ts'
import type { FileContents, TensorFile } from './safetensors.ts'

const FORMAT = 'ren-model-1'

/** A model with the names of its items. */
export interface NamedModel {
  /** The model with its weights, on the engine that loaded it. */
  readonly model: SequenceModel
  /** One per row. In a recommender, a name repeats if the item was removed and added again. */
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

/** Returns the contents of a model file, for files that hold more. */
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
  return readModelFile(bytes).architecture
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
  const { file, architecture } = readModelFile(bytes)
  const itemNames = namesIn(file)
  // The size of the catalog comes from a tensor in the file, not from a number that it claims.
  if (file.shape('items')[0] !== itemNames.length + 1) {
    throw malformed(`items must have ${itemNames.length + 1} rows for ${itemNames.length} names`)
  }
  const { guarded, release } = guardShapes(file, engine)
  const model = orMalformed(() =>
    createSequenceModel(guarded, architecture, itemNames.length, createRandom(0), zeros),
  )
  release()
  requireOwn(file, model, itemNames)
  for (const { name, value } of model.parameters) {
    value.values.set(finite(name, file.floats(name)))
  }
  return { model, itemNames }
}

function readModelFile(bytes: Uint8Array) {
  const file = readSafetensors(bytes, { inPlace: true })
  const { format } = file.metadata
  if (format === FORMAT) return { file, architecture: describedIn(file) }
  throw malformed(`the file must have the format ${FORMAT}, got ${format ?? 'none'}`)
}

/**
 * Wraps the engine. Until `release`, it creates a matrix only in the shape of its tensor in the
 * file.
 */
function guardShapes(file: TensorFile, engine: Engine): { guarded: Engine; release: () => void } {
  // The model retains the wrapped engine, which must not retain the file.
  let loading: TensorFile | null = file
  const matrix: Engine['matrix'] = (name, rows, columns) => {
    if (loading) requireShape(loading, name.replace('gradient of ', ''), rows, columns)
    return engine.matrix(name, rows, columns)
  }
  return {
    guarded: { ...engine, matrix },
    release() {
      loading = null
    },
  }
}

function requireShape(file: TensorFile, name: string, rows: number, columns: number): void {
  const shape = file.shape(name)
  if (shape.length === 2 && shape[0] === rows && shape[1] === columns) return
  throw malformed(`${name} must be ${rows} × ${columns}, got ${shape.join(' × ')}`)
}

/** Creates the architecture of the file. Its description in the file must be complete. */
function describedIn(file: TensorFile): Architecture {
  const described = descriptionIn(file)
  const architecture = orMalformed(() => createArchitecture(described))
  const expected = Object.entries(architecture.description)
  const missing = expected.find(([key, value]) => !Object.is(described[key], value))
  if (missing === undefined) return architecture
  const [key, value] = missing
  throw malformed(
    `architecture: ${key} must be ${JSON.stringify(value)}, got ${JSON.stringify(described[key])}`,
  )
}

function descriptionIn(file: TensorFile): Architecture['description'] {
  const value = parse(file, 'architecture')
  if (
    typeof value === 'object' &&
    value !== null &&
    'model' in value &&
    typeof value.model === 'string'
  ) {
    return value as Architecture['description']
  }
  throw malformed('architecture must be an object that names a model')
}

function namesIn(file: TensorFile): readonly string[] {
  const value = parse(file, 'itemNames')
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value
  throw malformed('itemNames must be a list of names')
}

export function requireNames(itemNames: readonly string[], itemCount: number): void {
  if (itemNames.length !== itemCount) {
    throw shapeMismatch(
      `the model needs ${itemCount} item names, one per item, got ${itemNames.length}`,
    )
  }
}

export function requireDistinct(itemNames: readonly string[]): void {
  const seen = new Set<string>()
  const repeated = itemNames.find((name) => seen.size === seen.add(name).size)
  if (repeated === undefined) return
  throw invalid(`item names must differ, got ${JSON.stringify(repeated)} twice`)
}

/**
 * A file may also hold the state of a recommender, under other names. It must not hold weights that
 * the model does not have, and in a file of a model alone the item names must be distinct.
 */
function requireOwn(
  file: TensorFile,
  { parameters }: SequenceModel,
  itemNames: readonly string[],
): void {
  const parameterNames = new Set(parameters.map(({ name }) => name))
  const others = [...file.tensors.keys()].filter((name) => !parameterNames.has(name))
  const unknown = others.find((name) => /^(items|itemBias|network\..*)$/s.test(name))
  if (unknown !== undefined) throw malformed(`no parameter is called ${JSON.stringify(unknown)}`)
  const isRecommender = others.length > 0 || file.metadata['recommender'] !== undefined
  if (!isRecommender) orMalformed(() => requireDistinct(itemNames))
}

/** Runs `build` and reports invalid arguments as errors of the file. */
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
    throw malformed(`${key} must be JSON`, cause)
  }
}

export function finite(name: string, values: Float32Array): Float32Array {
  const wrong = notFinite(name, values)
  if (wrong === undefined) return values
  throw new RenError('non-finite-input', `model file: ${wrong}`)
}

function notFinite(name: string, values: Float32Array): string | undefined {
  const at = values.findIndex((value) => !Number.isFinite(value))
  return at < 0 ? undefined : `${name}: value ${at} must be a finite weight, got ${values[at]}`
}

function malformed(message: string, cause?: unknown): RenError {
  return new RenError('file-malformed', `model file: ${message}`, { cause })
}
