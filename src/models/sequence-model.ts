// A sequence model: tied item embeddings μ, and a network R(·) that maps a history to θ. The
// relevance of item k is μ_kᵀθ. Models differ only in the network.

import { invalid, shapeMismatch } from '../core/errors.ts'
import type { Random } from '../core/random.ts'
import { finiteNumber, positiveInteger, readSettings } from '../core/settings.ts'
import type { Settings, SettingsInput, SettingsSchema } from '../core/settings.ts'
import { createWorkspace } from '../kernels/index.ts'
import type { Engine, Tensor, Workspace } from '../kernels/index.ts'
import { createBatch, lastEvents, requireHistory } from './batch.ts'
import type { History, SequenceBatch } from './batch.ts'
import { createItemTable } from './item-table.ts'
import type { ItemTable } from './item-table.ts'
import type { Layer, LayerContext, Pass } from './layers/layer.ts'
import { createOnlineState } from './online-state.ts'
import type { OnlineState } from './online-state.ts'
import { normal } from './parameter.ts'
import type { Parameter, Start } from './parameter.ts'

/** R(·): embedded inputs (positions × d) → θ at every position (positions × d). */
export interface Network extends Layer {
  /**
   * Computes θ from a state and one more event in O(d²). Absent if the network is not recurrent.
   */
  readonly recurrence?: Recurrence
}

export interface Recurrence {
  readonly stateWidth: number
  /**
   * Maps x (n × d) and a state (n × stateWidth) to the new state and θ. `events` is the one step that
   * x embeds.
   */
  advance(x: Tensor, state: Tensor, events: SequenceBatch): { state: Tensor; theta: Tensor }
}

/** A model architecture: its options and how to build its network. */
export interface Architecture {
  /** Name and options as plain JSON, from which the same network can be built. */
  readonly description: Readonly<Record<string, unknown>> & { readonly model: string }
  /** The number d of values per embedding. */
  readonly dimension: number
  /**
   * Whether a learned start vector precedes each sequence, so that θ exists before the first event.
   */
  readonly withStart: boolean
  /** Whether scores include a bias per item. Defaults to false. */
  readonly withBias?: boolean
  /** The maximum number of events of a history that the network reads. */
  readonly window: number
  /** Whether the network reads the times of events. Defaults to false. */
  readonly readsTimes?: boolean
  /** The initializer of the item embeddings. Defaults to N(0, 0.1²). */
  readonly startItems?: (random: Random, itemCount: number) => Start
  /** Builds the network with random weights, on the engine of the context. */
  readonly build: (context: LayerContext) => Network
}

// Settings that most architectures share.

export const dimensionOf = (fallback: number) => positiveInteger('Width d of embeddings', fallback)
export const windowOf = (fallback: number) =>
  positiveInteger('Maximum number of most recent events that the model reads', fallback)
export const decoderScale = finiteNumber(
  'Scale of the initial weights of the decoder; with a small scale, all scores start near 0',
  0.1,
)

type Sizes = Readonly<Record<'dimension' | 'window', ReturnType<typeof dimensionOf>>>

/** Creates an architecture. It carries the schema of the architecture's settings. */
export interface ArchitectureFactory<Schema extends SettingsSchema = SettingsSchema> {
  (settings?: SettingsInput<Schema>): Architecture
  readonly settings: Schema
}

/** The parts of an architecture besides its settings. */
interface ArchitectureParts extends Omit<Architecture, 'description' | 'dimension' | 'window'> {
  /** Values that follow from the settings, for the description. */
  readonly derived?: Readonly<Record<string, unknown>>
}

/** Declares an architecture. `partsOf` receives the checked settings with their defaults. */
export function defineArchitecture<const Schema extends SettingsSchema & Sizes>(
  model: string,
  schema: Schema,
  partsOf: (settings: Settings<Schema>) => ArchitectureParts,
): ArchitectureFactory<Schema> {
  const factory = (given: SettingsInput<Schema> = {}): Architecture => {
    const settings = readSettings(model, schema, given)
    const { derived, ...parts } = partsOf(settings)
    const sizes = { dimension: settings.dimension as number, window: settings.window as number }
    return { ...parts, ...sizes, description: { model, ...settings, ...derived } }
  }
  return Object.assign(factory, { settings: schema })
}

/**
 * A model of a catalog: one embedding per item, and a network that maps a history to a user
 * embedding.
 */
export interface SequenceModel {
  /** The architecture that built the network. */
  readonly architecture: Architecture
  /** The engine that owns the memory of the weights. */
  readonly engine: Engine
  /** Memory that training and inference reuse between calls. */
  readonly workspace: Workspace
  /** The number d of values per embedding. */
  readonly dimension: number
  /** The number K of items. */
  readonly itemCount: number
  /** μ (K × d); borrowed: read it again after training or adding items. */
  readonly itemEmbeddings: Tensor
  /** The item biases (K × 1), or null if the model has none. */
  readonly itemBias: Tensor | null
  /** Writes θ_t = R(D_t) to `out` (d values). */
  userEmbedding(history: History, out: Float32Array): void
  /** Opens the state of a user for updates per event; null if the network is not recurrent. */
  openState(history: History): OnlineState | null
  /** θ at every position of a batch; borrowed until the next call. */
  encode(batch: SequenceBatch, pass?: Partial<Pass>): Tensor
  /** Appends items to the catalog. `start` defaults to the initializer of the architecture. */
  addItems(count: number, start?: Start): void
  /** Increases whenever weights change. */
  readonly version: number
  /** Call this after writing into the parameters. */
  markChanged(): void
  /** For training and files. */
  readonly table: ItemTable
  /** The table of the item biases, for training and files; null if the model has none. */
  readonly biasTable: ItemTable | null
  /** The network that maps a history to a user embedding. */
  readonly network: Network
  /** All parameters, the item table first. */
  readonly parameters: readonly Parameter[]
}

/**
 * Creates an untrained model.
 *
 * @param itemCount The number of items in the catalog.
 * @param random Draws the initial weights.
 * @param firstItems The initializer of the item embeddings. Defaults to that of the architecture.
 *
 * @example
 * ```ts
 * import { createRandom } from 'ren-recommender'
 * import { createEngine } from 'ren-recommender/kernels'
 * import { createSequenceModel, sasrec } from 'ren-recommender/models'
 *
 * const architecture = sasrec({ dimension: 64 })
 * const model = createSequenceModel(await createEngine(), architecture, 5000, createRandom(1))
 * const user = new Float32Array(model.dimension)
 * const history = {
 *   items: Int32Array.of(17, 4),
 *   rewards: Float32Array.of(1, 1),
 *   times: Float64Array.of(1000, 2000),
 * }
 * model.userEmbedding(history, user)
 * ```
 */
export function createSequenceModel(
  engine: Engine,
  architecture: Architecture,
  itemCount: number,
  random: Random,
  firstItems?: Start,
): SequenceModel {
  requireItems(itemCount)
  const { dimension } = architecture
  const itemRandom = random.fork('items')
  const startItems = architecture.startItems?.(itemRandom, itemCount) ?? normal(itemRandom, 0.1)
  const table = createItemTable(engine, 'items', itemCount, dimension, firstItems ?? startItems)
  const biasTable = architecture.withBias
    ? createItemTable(engine, 'itemBias', itemCount, 1, () => 0)
    : null
  const workspace = createWorkspace(engine)
  const network = architecture.build({
    engine,
    name: 'network',
    random: random.fork('network'),
    workspace: workspace.within('network'),
  })
  let version = 0

  const model: SequenceModel = {
    architecture,
    engine,
    workspace,
    dimension,
    table,
    biasTable,
    network,
    get itemCount() {
      return table.itemCount
    },
    get itemEmbeddings() {
      return table.items
    },
    get itemBias() {
      return biasTable?.items ?? null
    },
    get parameters() {
      const bias = biasTable === null ? [] : [biasTable.parameter]
      return [table.parameter, ...bias, ...network.parameters]
    },
    encode: (batch, pass) => encode(model, batch, pass),
    userEmbedding: (history, out) => embedUser(model, history, out),
    openState(history) {
      requireHistory(history, table.itemCount)
      const { recurrence } = network
      const last = lastEvents(history, architecture.window)
      return recurrence ? createOnlineState(model, recurrence, last) : null
    },
    addItems(count, start = startItems) {
      requireItems(count)
      table.add(count, start)
      biasTable?.add(count, () => 0)
    },
    get version() {
      return version
    },
    markChanged() {
      version += 1
    },
  }
  return model
}

function encode(
  { engine, workspace, table, dimension, network }: SequenceModel,
  batch: SequenceBatch,
  pass: Partial<Pass> = {},
): Tensor {
  const x = workspace.matrix('x', batch.rows.length, dimension)
  const indices = workspace.indices('x rows', batch.rows)
  engine.trusted.gather({ table: table.parameter.value, indices, out: x })
  return network.forward(x, { random: null, ...pass, batch })
}

function embedUser(model: SequenceModel, history: History, out: Float32Array): void {
  const { architecture, dimension, itemCount } = model
  if (out.length < dimension) {
    throw shapeMismatch(`userEmbedding: out must hold ${dimension} values, got ${out.length}`)
  }
  requireHistory(history, itemCount)
  if (!architecture.withStart && history.items.length === 0) {
    out.fill(0, 0, dimension)
    return
  }
  const batch = createBatch([lastEvents(history, architecture.window)], architecture.withStart)
  const theta = encode(model, batch)
  out.set(theta.values.subarray((batch.steps - 1) * dimension))
}

function requireItems(count: number): void {
  if (Number.isSafeInteger(count) && count >= 0) return
  throw invalid(`the number of items must be a whole number of at least 0, got ${count}`)
}
