// A recommender as one file: a model file (safetensors) with the folded state beside the weights.
// Whatever reads model files can read it.

import { RenError } from '../core/errors.ts'
import type { Engine } from '../kernels/index.ts'
import { loadModel, saveModel } from '../models/index.ts'
import type { SequenceModel } from '../models/index.ts'
import { readSafetensors, writeSafetensors } from '../models/files/safetensors.ts'
import type { TensorFile } from '../models/files/safetensors.ts'
import { createCatalogue } from './catalogue.ts'
import type { StateContents, UserState } from './state.ts'

/** What a recommender is beside its settings. */
export interface Snapshot {
  readonly model: SequenceModel
  readonly state: StateContents
  readonly seed: string
  /** How many events the weights have learnt from, and how many times they were fine-tuned. */
  readonly learntEvents: number
  readonly fineTunes: number
}

const FORMAT = 'ren-recommender-1'

export function writeSnapshot({ model, state, ...counters }: Snapshot): Uint8Array<ArrayBuffer> {
  const { catalogue, impressions, takes, events } = state
  const weights = readSafetensors(saveModel({ model, itemNames: catalogue.names }))
  const users = [...state.users.values()]
  const tensors = new Map([
    ...Array.from(
      weights.tensors,
      ([name, { shape }]) => [name, { shape, data: weights.values(name) }] as const,
    ),
    column('state.impressions', impressions),
    column('state.takes', takes),
    column('state.removed', Int32Array.from(catalogue.removed)),
    table('state.users', 5, users, (user) => [
      user.history.length,
      user.impressions.length,
      user.slates,
      user.lastSlate,
      user.lastRewarded,
    ]),
    table(
      'state.history',
      3,
      users.flatMap((user) => user.history),
      ({ item, reward, time }) => [item, reward, time],
    ),
    table(
      'state.userImpressions',
      4,
      users.flatMap((user) => user.impressions),
      ({ after, item, reward, taken }) => [after, item, reward ?? Number.NaN, Number(taken)],
    ),
  ])
  const metadata = {
    ...weights.metadata,
    recommender: JSON.stringify({ format: FORMAT, events, ...counters }),
    userNames: JSON.stringify([...state.users.keys()]),
  }
  return writeSafetensors({ tensors, metadata })
}

export function readSnapshot(engine: Engine, bytes: Uint8Array): Snapshot {
  const file = readSafetensors(bytes)
  const { events, ...counters } = countersIn(file)
  const userNames = parsed(file, 'userNames')
  if (!Array.isArray(userNames) || !userNames.every((name) => typeof name === 'string')) {
    throw malformed('userNames: expected a list of names')
  }
  const { model, itemNames } = loadModel(engine, bytes)
  const counts = (name: string) => {
    const values = file.floats(name)
    if (values.length === itemNames.length && values.every((count) => count >= 0)) return values
    throw malformed(`${name}: expected ${itemNames.length} counts`)
  }
  const removed = file.integers('state.removed')
  if (!removed.every(isBelow(itemNames.length))) throw malformed('state.removed: no such row')
  const state = {
    catalogue: createCatalogue(itemNames, removed),
    users: usersIn(file, userNames, itemNames.length),
    impressions: counts('state.impressions'),
    takes: counts('state.takes'),
    events,
  }
  return { model, state, ...counters }
}

function usersIn(file: TensorFile, names: readonly string[], itemCount: number) {
  const isItem = isBelow(itemCount)
  const records = rowsOf(file, 'state.users', 5)
  const history = rowsOf(file, 'state.history', 3)
  const impressions = rowsOf(file, 'state.userImpressions', 4)
  const lengths = (place: number) => records.reduce((sum, record) => sum + record[place]!, 0)
  if (
    records.length !== names.length ||
    !records.flat().every(isCount) ||
    lengths(0) !== history.length ||
    lengths(1) !== impressions.length ||
    !history.every(([item, ...rest]) => isItem(item!) && rest.every(Number.isFinite)) ||
    !impressions.every(([after, item]) => isCount(after!) && isItem(item!))
  ) {
    throw malformed('the tables of the users do not fit each other or the catalogue')
  }
  let [historyAt, impressionsAt] = [0, 0]
  return new Map(
    records.map((record, i): [string, UserState] => {
      const [visits, shown, slates, lastSlate, lastRewarded] = record as [
        number,
        number,
        number,
        number,
        number,
      ]
      const user = {
        history: history
          .slice(historyAt, (historyAt += visits))
          .map(([item, reward, time]) => ({ item: item!, reward: reward!, time: time! })),
        impressions: impressions
          .slice(impressionsAt, (impressionsAt += shown))
          .map(([after, item, reward, taken]) => ({
            after: after!,
            item: item!,
            reward: Number.isNaN(reward) ? null : reward!,
            taken: taken === 1,
          })),
        slates,
        lastSlate,
        lastRewarded,
      }
      return [names[i]!, user]
    }),
  )
}

function countersIn(file: TensorFile) {
  const value = parsed(file, 'recommender') as Readonly<Record<string, unknown>> | null
  const { format, seed, events, learntEvents, fineTunes } = value ?? {}
  if (
    format === FORMAT &&
    typeof seed === 'string' &&
    isCount(events) &&
    isCount(learntEvents) &&
    isCount(fineTunes)
  ) {
    return { seed, events, learntEvents, fineTunes }
  }
  throw malformed(`recommender: expected the format ${FORMAT}`)
}

function parsed(file: TensorFile, key: string): unknown {
  try {
    return JSON.parse(file.metadata[key] ?? '')
  } catch (cause) {
    throw malformed(`${key}: expected JSON in the metadata`, cause)
  }
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0

const isBelow =
  (bound: number) =>
  (value: number): boolean =>
    isCount(value) && value < bound

function column(name: string, data: Float32Array | Int32Array) {
  return [name, { shape: [data.length], data }] as const
}

/** One row for each of the values. Float64 holds items, counts, rewards and times exactly. */
function table<T>(
  name: string,
  columns: number,
  values: readonly T[],
  row: (value: T) => readonly number[],
) {
  const data = new Float64Array(values.length * columns)
  for (const [i, value] of values.entries()) data.set(row(value), i * columns)
  return [name, { shape: [values.length, columns], data }] as const
}

function rowsOf(file: TensorFile, name: string, columns: number): number[][] {
  const [count, width] = file.shape(name)
  const data = file.values(name)
  if (width !== columns || !(data instanceof Float64Array)) {
    throw malformed(`${name}: expected a table of float64 with ${columns} columns`)
  }
  return Array.from({ length: count! }, (_, i) => [
    ...data.subarray(i * columns, (i + 1) * columns),
  ])
}

function malformed(message: string, cause?: unknown): RenError {
  return new RenError('file-malformed', `recommender file: ${message}`, { cause })
}
