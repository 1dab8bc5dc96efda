// A sequence model: tied item embeddings μ around a network R(·) that turns a history into θ.
// The relevance of item k is μ_kᵀθ. Everything that differs between models is in the network.

import { RenError, invalid } from '../core/errors.ts'
import type { Random } from '../core/random.ts'
import { finiteNumber, positiveInteger, readSettings } from '../core/settings.ts'
import type { Settings, SettingsInput, SettingsSchema } from '../core/settings.ts'
import type { Engine, Tensor } from '../kernels/index.ts'
import { createBatch, lastEvents, requireHistory } from './batch.ts'
import type { History, SequenceBatch } from './batch.ts'
import { createItemTable } from './item-table.ts'
import type { ItemTable } from './item-table.ts'
import type { Layer, LayerContext, Pass } from './layers/layer.ts'
import { createOnlineState } from './online-state.ts'
import type { OnlineState } from './online-state.ts'
import { normal } from './parameter.ts'
import type { Parameter, Start } from './parameter.ts'
import { createWorkspace } from '../kernels/index.ts'
import type { Workspace } from '../kernels/index.ts'

/** R(·): embedded inputs (positions × d) → θ at every position (positions × d). */
export interface Network extends Layer {
  /** θ from the state so far and one more event, in O(d²); where the network is recurrent. */
  readonly recurrence?: Recurrence
}

export interface Recurrence {
  readonly stateWidth: number
  /**
   * x (n × d), state (n × stateWidth) → the new state, and θ after it. `events` is the one step
   * that x was made of.
   */
  advance(x: Tensor, state: Tensor, events: SequenceBatch): { state: Tensor; theta: Tensor }
}

/** A kind of model: its options and how to build its network. */
export interface Architecture {
  /** Name and options, as plain JSON: enough to build the same network again. */
  readonly description: Readonly<Record<string, unknown>> & { readonly model: string }
  readonly dimension: number
  /** Whether a learned start vector opens each sequence, so that θ exists before the first event. */
  readonly withStart: boolean
  /** Whether scores have a bias of their own for each item. */
  readonly withBias?: boolean
  /** The most events of a history that the network looks at. */
  readonly window: number
  /** Whether the network reads the times of events. Defaults to false. */
  readonly readsTimes?: boolean
  /** How item embeddings start; N(0, 0.1²) where absent. */
  readonly startItems?: (random: Random, itemCount: number) => Start
  readonly build: (context: LayerContext) => Network
}

// The settings that most architectures have.

export const dimensionOf = (fallback: number) => positiveInteger('Width d of embeddings', fallback)
export const windowOf = (fallback: number) =>
  positiveInteger('Maximum of events of a history that the model reads, the last ones', fallback)
export const decoderScale = finiteNumber(
  'Scale of the first weights of the decoder; a small one starts with all scores near 0',
  0.1,
)

type Sizes = Readonly<Record<'dimension' | 'window', ReturnType<typeof dimensionOf>>>

/** Creates an architecture. It carries the schema of the architecture's settings. */
export interface ArchitectureFactory<Schema extends SettingsSchema = SettingsSchema> {
  (settings?: SettingsInput<Schema>): Architecture
  readonly settings: Schema
}

/** What an architecture's settings do not say. */
interface ArchitectureParts extends Omit<Architecture, 'description' | 'dimension' | 'window'> {
  /** Joins the description: what follows from the settings. */
  readonly derived?: Readonly<Record<string, unknown>>
}

/** Declares an architecture: its settings, and its parts once they are checked and complete. */
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
  readonly architecture: Architecture
  readonly engine: Engine
  readonly workspace: Workspace
  readonly dimension: number
  readonly itemCount: number
  /** μ (K × d); borrowed: read it again after training or adding items. */
  readonly itemEmbeddings: Tensor
  /** One bias an item (K × 1), in models that have one. */
  readonly itemBias: Tensor | null
  /** θ_t = R(D_t), written to `out` (d values). */
  userEmbedding(history: History, out: Float32Array): void
  /** θ that follows a user from event to event; null where the network is not recurrent. */
  openState(history: History): OnlineState | null
  /** θ at every position of a batch; borrowed until the next call. */
  encode(batch: SequenceBatch, pass?: Partial<Pass>): Tensor
  /** New items at the end of the catalog, as `start` or else the architecture has it. */
  addItems(count: number, start?: Start): void
  /** Grows whenever weights have moved. */
  readonly version: number
  /** To be called by whoever writes into the parameters. */
  markChanged(): void
  /** For training and files. */
  readonly table: ItemTable
  readonly biasTable: ItemTable | null
  readonly network: Network
  /** All parameters, the item table first. */
  readonly parameters: readonly Parameter[]
}

/**
 * Creates an untrained model.
 *
 * @param itemCount The number of items in the catalog.
 * @param random Draws the first weights.
 * @param firstItems How the first item embeddings start. Defaults to the rule of the architecture.
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
  const startItems = startOf(architecture, random.fork('items'), itemCount)
  const table = createItemTable(engine, 'items', itemCount, dimension, firstItems ?? startItems)
  const biasTable = openBias(engine, architecture, itemCount)
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
  requireRoom(out, dimension)
  requireHistory(history, itemCount)
  if (!architecture.withStart && history.items.length === 0) {
    out.fill(0, 0, dimension)
    return
  }
  const batch = createBatch([lastEvents(history, architecture.window)], architecture.withStart)
  const theta = encode(model, batch)
  out.set(theta.values.subarray((batch.steps - 1) * dimension))
}

function openBias(engine: Engine, { withBias = false }: Architecture, itemCount: number) {
  return withBias ? createItemTable(engine, 'itemBias', itemCount, 1, () => 0) : null
}

function startOf({ startItems }: Architecture, random: Random, itemCount: number): Start {
  return startItems === undefined ? normal(random, 0.1) : startItems(random, itemCount)
}

function requireItems(count: number): void {
  if (Number.isSafeInteger(count) && count >= 0) return
  throw invalid(`a catalog needs a whole number of items, at least 0, got ${count}`)
}

function requireRoom({ length }: Float32Array, dimension: number): void {
  if (length >= dimension) return
  throw new RenError(
    'shape-mismatch',
    `userEmbedding: out must hold ${dimension} values, got ${length}`,
  )
}
