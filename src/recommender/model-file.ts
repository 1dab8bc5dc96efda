// Converts the weights of a recommender to a model file, and a model file to weights that a
// recommender can adopt.

import { invalid } from '../core/errors.ts'
import { createEngine } from '../kernels/index.ts'
import { architectureIn, loadModel, readSafetensors, type NamedModel } from '../models/index.ts'
import { writeSafetensors } from '../models/files/safetensors.ts'
import { architectureOf, type MethodSettings } from './methods.ts'
import type { Recommender } from './recommender-api.ts'
import { namesIn } from './saved-values.ts'
import { modelWithItems } from './snapshot.ts'
import { gatherRows, type LearningProgress, type WeightUpdate } from './weight-update.ts'

/**
 * Creates a model file from the weights of a recommender, with each item once.
 *
 * @param notes Further entries for the metadata of the file.
 */
export function modelFileFrom(
  weights: Uint8Array,
  notes: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  const file = readSafetensors(weights)
  const itemNames = namesIn(file, 'itemNames')
  const rows = [...new Map(itemNames.map((name, row) => [name, row])).values()]
  const { tensors, metadata } = modelWithItems(file, itemNames, rows)
  const { recommender: _, ...others } = metadata
  return writeSafetensors({ tensors, metadata: { ...notes, ...others } })
}

/** Reads the item names of a model file, without its weights. */
export const itemNamesIn = (bytes: Uint8Array): readonly string[] =>
  namesIn(readSafetensors(bytes), 'itemNames')

/** A validated model file whose weights recommenders of the same architecture can adopt. */
export type OpenModelFile = Awaited<ReturnType<typeof openModelFile>>

/** Opens and validates a model file in a separate engine, so that its memory can be freed. */
export async function openModelFile(bytes: Uint8Array) {
  const engine = await createEngine()
  try {
    const named = loadModel(engine, bytes)
    return {
      itemNames: named.itemNames,
      /**
       * Returns the weights for a recommender to adopt. Items are matched by name. Items that the file
       * lacks retain their rows.
       */
      updateFor: (recommender: Receiver, progress: Trained) =>
        updateFrom(named, recommender, progress),
      /** Frees its memory. */
      close: () => engine.close(),
    }
  } catch (error) {
    engine.close()
    throw error
  }
}

type Receiver = Pick<Recommender, 'state' | 'watchWeights'>
type Trained = Pick<LearningProgress, 'trainedUpToEvent' | 'trainedUpToTime'>

function updateFrom({ model, itemNames }: NamedModel, recommender: Receiver, progress: Trained) {
  const { names } = recommender.state.catalog
  const rowOf = new Map(itemNames.map((name, row) => [name, row]))
  const matched = [...names.keys()].filter((row) => rowOf.has(names[row]!))
  // The first row of a table is the start vector.
  const rows = Int32Array.from([0, ...matched.map((row) => row + 1)])
  const from = [0, ...matched.map((row) => rowOf.get(names[row]!)! + 1)]
  const parameters = new Map(model.parameters.map(({ name, value }) => [name, value]))
  const last = recommender.watchWeights().changes()
  const update: WeightUpdate = {
    ...last,
    ...progress,
    itemCount: names.length,
    tables: last.tables.map((table) => {
      const value = parameters.get(table.name)
      if (value === undefined) return table
      return { name: table.name, rows, values: gatherRows(value, from) }
    }),
    network: last.network.map(({ name }) => ({
      name,
      values: parameters.get(name)!.values.slice(),
    })),
  }
  const catalog = new Set(names)
  const unknown = itemNames.filter((name) => !catalog.has(name)).length
  // `unknown` counts the items of the file that the catalog lacks, and `matched` the others.
  return { update, matched: matched.length, unknown }
}

/** Throws if a model file does not fit a method; `what` names the method in the message. */
export function requireModelOf(
  bytes: Uint8Array,
  what: string,
  method: string,
  settings: MethodSettings,
): void {
  const [file, own] = [architectureIn(bytes), architectureOf(method, settings)]
  for (const key of Object.keys(own.description)) {
    const [expected, got] = [file, own].map(({ description }) => JSON.stringify(description[key]))
    if (expected === got) continue
    throw invalid(`the model file has a model with ${key} ${expected}, ${what} has ${key} ${got}`)
  }
}
