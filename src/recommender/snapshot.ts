// A recommender as safetensors files: its weights as a model file, and its state in parts. One file
// may contain both. Any reader of model files can read the weights.

import { requireCount, requirePositiveInteger } from '../exploration/requirements.ts'
import type { Engine } from '../kernels/index.ts'
import { modelContents } from '../models/files/model-file.ts'
import { writeSafetensors, writeSafetensorsInParts } from '../models/files/safetensors.ts'
import type { FileContents, TensorToWrite } from '../models/files/safetensors.ts'
import { loadModel, readSafetensors, type SequenceModel, type TensorFile } from '../models/index.ts'
import type { KnownRows } from './catalog.ts'
import type { Recommender } from './recommender-api.ts'
import {
  rowsIn,
  saveHead,
  writeState,
  type LiveState,
  type SavedRewards,
  type SavedState,
} from './saved-state.ts'
import { saveUsers } from './saved-users.ts'
import { isCount, malformed, namesIn, parsed } from './saved-values.ts'
import type { State } from './state.ts'
import { gatherRows, type LearningProgress } from './weight-update.ts'

/** The initial contents of a recommender, besides its settings. */
export interface Start {
  readonly model: SequenceModel
  readonly state: State
  readonly counters: Counters
  /**
   * ρ of learned deviations, starting with the row of the start vector; null if none were learned.
   */
  readonly deviations: Float32Array | null
  /** Rows of items that the model or the catalog lacks. */
  readonly known: KnownRows | null
  /** The number of items in the weights that were last saved or restored. */
  readonly savedItems: number
  /** Null if none was saved. */
  readonly rewards: SavedRewards | null
}

interface Counters extends LearningProgress {
  readonly seed: string
}

/** The parts of a recommender to save. */
interface Live extends LiveState {
  readonly counters: Counters
}

/**
 * Saved weights and a saved state, which may be from different moments; the state is null before
 * the first event.
 */
export interface SavedRecommender<Parts = Iterable<Uint8Array>> {
  /** A model file, as `saveWeights` returns it. */
  readonly weights: Uint8Array
  /** The parts that `saveState` returned, in order; null to start without events. */
  readonly state: Parts | null
}

const FORMAT = 'ren-recommender-2'
const DEVIATIONS = 'itemDeviations'

/** Writes weights and state into one file. */
function writeSnapshot(live: Live): Uint8Array<ArrayBuffer> {
  const parts = [
    weightsOf(live),
    saveHead(live, live.model.itemCount),
    ...saveUsers([...live.state.users], live.state.events),
  ]
  return writeSafetensors({
    tensors: new Map(parts.flatMap(({ tensors }) => [...tensors])),
    metadata: Object.assign(
      {},
      ...parts.map(({ metadata }) => metadata),
    ) as FileContents['metadata'],
  })
}

/** Returns the weights with learned σ and the learning counters. */
function weightsOf({ model, state, counters, deviations }: Live): FileContents {
  const recommender = countersText(counters)
  const { tensors, metadata } = modelContents(
    { model, itemNames: state.catalog.names },
    { recommender },
  )
  if (deviations === undefined) return { tensors, metadata }
  const { rows, columns, values } = deviations.table.parameter.value
  return {
    tensors: new Map([...tensors, [DEVIATIONS, { shape: [rows, columns], data: values }]]),
    metadata,
  }
}

/** Reads the weights. The model gets the rows of the items that weights and state share. */
export function readSnapshot(engine: Engine, weights: Uint8Array, saved: SavedState): Start {
  const file = readSafetensors(weights)
  const counters = countersIn(file)
  const itemNames = namesIn(file, 'itemNames')
  const { names } = saved.state.catalog
  const common = Math.min(names.length, itemNames.length)
  if (itemNames.some((name, row) => row < common && name !== names[row])) {
    throw malformed('the item names of the weights and of the state differ')
  }
  const isAhead = itemNames.length > common
  const { model } = loadModel(
    engine,
    isAhead ? writeSafetensors(modelWithItems(file, itemNames, [...names.keys()])) : weights,
  )
  return {
    model,
    state: saved.state,
    counters,
    savedItems: model.itemCount,
    rewards: saved.rewards,
    deviations:
      deviationsIn(file, itemNames.length, model)?.subarray(0, (1 + common) * model.dimension) ??
      null,
    known: isAhead ? rowsIn(file, '', 1 + common, { itemNames, first: common }) : saved.added,
  }
}

/** Tensors with a row per item, after the row of the start vector. */
const itemTables: ReadonlySet<string> = new Set(['items', 'itemBias'])

/** Returns the model of a file with these rows of its items only. */
export function modelWithItems(
  file: TensorFile,
  itemNames: readonly string[],
  rows: readonly number[],
): FileContents {
  const tableRows = [0, ...rows.map((row) => row + 1)]
  const tensors = new Map<string, TensorToWrite>()
  for (const name of file.tensors.keys()) {
    if (!itemTables.has(name) && !name.startsWith('network.')) continue
    const [shape, values] = [file.shape(name), file.floats(name)]
    const [, columns = 1] = shape
    if (!itemTables.has(name)) tensors.set(name, { shape, data: values })
    else {
      const data = gatherRows({ values, columns }, tableRows)
      tensors.set(name, { shape: [tableRows.length, columns], data })
    }
  }
  const names = JSON.stringify(rows.map((row) => itemNames[row]))
  return { tensors, metadata: { ...file.metadata, itemNames: names } }
}

function deviationsIn(file: TensorFile, itemCount: number, { dimension }: SequenceModel) {
  if (!file.tensors.has(DEVIATIONS)) return null
  const shape = file.shape(DEVIATIONS)
  const values = file.floats(DEVIATIONS)
  const fits = shape.length === 2 && shape[0] === itemCount + 1 && shape[1] === dimension
  if (fits && values.every(Number.isFinite)) return values
  throw malformed(`${DEVIATIONS} must be ${itemCount + 1} × ${dimension} finite numbers`)
}

// The keys of `trainedUpToEvent` and `trainedUpToTime` in saved files.
const EVENT_KEY = 'learntEvents'
const TIME_KEY = 'learntTime'

function countersText({ seed, trainedUpToEvent, trainedUpToTime, fineTunes }: Counters): string {
  const progress = { [EVENT_KEY]: trainedUpToEvent, [TIME_KEY]: trainedUpToTime }
  return JSON.stringify({ format: FORMAT, seed, ...progress, fineTunes })
}

function countersIn(file: TensorFile): Counters {
  const value = parsed(file, 'recommender') as Readonly<Record<string, unknown>> | null
  const { format, seed, [EVENT_KEY]: trainedUpToEvent, [TIME_KEY]: time, fineTunes } = value ?? {}
  if (
    format === FORMAT &&
    typeof seed === 'string' &&
    isCount(trainedUpToEvent) &&
    (time === null || Number.isFinite(time)) &&
    isCount(fineTunes)
  ) {
    // JSON has no −∞.
    const trainedUpToTime = (time as number | null) ?? -Infinity
    return { seed, trainedUpToEvent, trainedUpToTime, fineTunes }
  }
  throw malformed(`the recommender must have the format ${FORMAT}`)
}

/**
 * Creates the methods that save a recommender.
 *
 * @param savedItems The number of items in the weights that were last saved or restored.
 */
export function createSaves(
  {
    learning,
    ...live
  }: Omit<Live, 'counters'> & { readonly learning: { readonly progress: LearningProgress } },
  seed: string,
  savedItems: number,
): Pick<Recommender, 'save' | 'saveWeights' | 'saveWeightsInParts' | 'saveState'> {
  const { model } = live
  const now = (): Live => ({ ...live, counters: { seed, ...learning.progress } })
  let itemsLastSaved = savedItems
  return {
    save: () => writeSnapshot(now()),
    saveWeights() {
      itemsLastSaved = model.itemCount
      return writeSafetensors(weightsOf(now()))
    },
    saveWeightsInParts() {
      itemsLastSaved = model.itemCount
      return writeSafetensorsInParts(weightsOf(now()), 1 << 20)
    },
    saveState({ usersPerPart = 500, itemsInWeights = itemsLastSaved } = {}) {
      requirePositiveInteger('usersPerPart', usersPerPart)
      requireCount('itemsInWeights', itemsInWeights)
      return writeState(now(), Math.min(itemsInWeights, model.itemCount), usersPerPart)
    },
  }
}
