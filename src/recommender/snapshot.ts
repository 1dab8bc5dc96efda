// A recommender as files (safetensors): its weights as a model file, and the folded state in parts.
// One file may hold both. Whatever reads model files can read the weights.

import { requireCount, requirePositiveInteger } from '../exploration/requirements.ts'
import type { Engine } from '../kernels/index.ts'
import { modelContents } from '../models/files/model-file.ts'
import { writeSafetensors, writeSafetensorsInParts } from '../models/files/safetensors.ts'
import type { FileContents, TensorToWrite } from '../models/files/safetensors.ts'
import { loadModel, readSafetensors } from '../models/index.ts'
import type { SequenceModel, TensorFile } from '../models/index.ts'
import type { KnownRows } from './new-items.ts'
import type { Recommender } from './recommender-api.ts'
import { rowsIn, saveHead, writeState } from './saved-state.ts'
import type { LiveState, SavedState } from './saved-state.ts'
import { saveUsers } from './saved-users.ts'
import { isCount, malformed, namesIn, parsed } from './saved-values.ts'
import type { MaxPerUser } from './seen-items.ts'
import { emptyState } from './state.ts'
import type { State } from './state.ts'
import type { Learnt } from './weight-update.ts'

/** What a recommender starts from, besides its settings. */
export interface Start {
  readonly model: SequenceModel
  readonly state: State
  readonly counters: Counters
}

interface Counters extends Learnt {
  readonly seed: string
}

/** What is saved. */
interface Live extends LiveState {
  readonly counters: Counters
}

/**
 * Saved weights and a saved state, which may be from different moments; the state is null before
 * the first event.
 */
export interface SavedRecommender<Parts = Iterable<Uint8Array>> {
  readonly weights: Uint8Array
  readonly state: Parts | null
}

/** What was read from the files. */
export interface Snapshot extends Start, Pick<SavedState, 'gathered'> {
  /** ρ of learned deviations, beginning with that of the start vector; null if none were learned. */
  readonly deviations: Float32Array | null
  /** Rows of items that the model or the catalog does not have yet. */
  readonly known: KnownRows | null
}

const FORMAT = 'ren-recommender-2'
const DEVIATIONS = 'itemDeviations'

/** Weights and state in one file. */
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

/** Weights, with learned σ and what they have learnt from. */
function weightsOf({ model, state, counters, deviations }: Live): FileContents {
  const recommender = JSON.stringify({ format: FORMAT, ...counters })
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

/** Reads the weights; the model has the rows that weights and state agree on. */
export function readSnapshot(engine: Engine, weights: Uint8Array, saved: SavedState): Snapshot {
  const file = readSafetensors(weights)
  const counters = countersIn(file)
  const itemNames = namesIn(file, 'itemNames')
  const { names } = saved.state.catalog
  const common = Math.min(names.length, itemNames.length)
  if (itemNames.some((name, row) => row < common && name !== names[row])) {
    throw malformed('the weights and the state name their items differently')
  }
  const isAhead = itemNames.length > common
  const { model } = loadModel(engine, isAhead ? firstItems(file, itemNames, common) : weights)
  return {
    model,
    state: saved.state,
    counters,
    gathered: saved.gathered,
    deviations:
      deviationsIn(file, itemNames.length, model)?.subarray(0, (1 + common) * model.dimension) ??
      null,
    known: isAhead ? rowsIn(file, '', 1 + common, { itemNames, first: common }) : saved.added,
  }
}

/** The state before the first event. */
export const nothingSaved = (maxPerUser: MaxPerUser): SavedState => ({
  state: emptyState([], maxPerUser),
  gathered: () => new Map(),
  added: null,
})

/** The weights of the first `count` items. */
function firstItems(file: TensorFile, itemNames: readonly string[], count: number) {
  const tensors = Array.from(file.tensors.keys(), (name): [string, TensorToWrite] => {
    const [shape, data] = [file.shape(name), file.values(name)]
    if (!['items', 'itemBias'].includes(name)) return [name, { shape, data }]
    const [, columns = 1] = shape
    return [name, { shape: [1 + count, columns], data: data.subarray(0, (1 + count) * columns) }]
  })
  const names = JSON.stringify(itemNames.slice(0, count))
  return writeSafetensors({
    tensors: new Map(tensors),
    metadata: { ...file.metadata, itemNames: names },
  })
}

function deviationsIn(file: TensorFile, itemCount: number, { dimension }: SequenceModel) {
  if (!file.tensors.has(DEVIATIONS)) return null
  const shape = file.shape(DEVIATIONS)
  const values = file.floats(DEVIATIONS)
  const fits = shape.length === 2 && shape[0] === itemCount + 1 && shape[1] === dimension
  if (fits && values.every(Number.isFinite)) return values
  throw malformed(`${DEVIATIONS}: expected ${itemCount + 1} × ${dimension} finite numbers`)
}

function countersIn(file: TensorFile): Counters {
  const value = parsed(file, 'recommender') as Readonly<Record<string, unknown>> | null
  const { format, seed, learntEvents, learntTime, fineTunes } = value ?? {}
  if (
    format === FORMAT &&
    typeof seed === 'string' &&
    isCount(learntEvents) &&
    (learntTime === null || Number.isFinite(learntTime)) &&
    isCount(fineTunes)
  ) {
    // JSON has no −∞.
    return { seed, learntEvents, learntTime: (learntTime as number | null) ?? -Infinity, fineTunes }
  }
  throw malformed(`recommender: expected the format ${FORMAT}`)
}

/**
 * The methods of a recommender that save it.
 *
 * @param savedItems How many items the weights had when they were last saved or restored.
 */
export function createSaves(
  {
    learning,
    ...live
  }: Omit<Live, 'counters'> & { readonly learning: { readonly learnt: Learnt } },
  seed: string,
  savedItems: number,
): Pick<Recommender, 'save' | 'saveWeights' | 'saveWeightsInParts' | 'saveState'> {
  const { model } = live
  const now = (): Live => ({ ...live, counters: { seed, ...learning.learnt } })
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
