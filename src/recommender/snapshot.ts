// A recommender as one file: a model file (safetensors) with the folded state beside the weights.
// Whatever reads model files can read it.

import { RenError } from '../core/errors.ts'
import type { Engine } from '../kernels/index.ts'
import { loadModel, saveModel } from '../models/index.ts'
import type { SavedEvidence, SavedTensor } from '../exploration/uncertainty.ts'
import type { UncertaintyEstimator } from '../exploration/index.ts'
import type { ItemDeviations, SequenceModel } from '../models/index.ts'
import { readSafetensors, writeSafetensors } from '../models/files/safetensors.ts'
import type { TensorFile, TensorToWrite } from '../models/files/safetensors.ts'
import { createCatalogue } from './catalogue.ts'
import { isReward } from './requirements.ts'
import type { StateContents, UserState } from './state.ts'

/** What a recommender starts or goes on from, beside its settings. */
export interface Start {
  readonly model: SequenceModel
  readonly state: StateContents
  readonly counters: Counters
}

export interface Counters {
  readonly seed: string
  /** How many events the weights have learnt from, and how many times they were fine-tuned. */
  readonly learntEvents: number
  readonly fineTunes: number
}

/** What goes into a file. */
export interface Live extends Start {
  readonly uncertainty: UncertaintyEstimator
  readonly deviations: ItemDeviations | undefined
}

/** What comes out of it. */
export interface Snapshot extends Start {
  /** What the estimator of that name had gathered; nothing where it had not, or was another. */
  gathered(estimator: string): SavedEvidence
  /** ρ of learned deviations ((1 + K) × d); null where none were learned. */
  readonly deviations: Float32Array | null
}

const FORMAT = 'ren-recommender-1'
const DEVIATIONS = 'uncertainty.deviations'
const gatheredPrefix = (estimator: string) => `uncertainty.gathered.${estimator}.`

export function writeSnapshot(live: Live): Uint8Array<ArrayBuffer> {
  const { model, state, counters } = live
  const { catalogue, impressions, takes, events } = state
  const weights = readSafetensors(saveModel({ model, itemNames: catalogue.names }))
  const users = [...state.users.values()]
  const tensors = new Map<string, TensorToWrite>([
    ...learnedTensors(live),
    ...Array.from(
      weights.tensors,
      ([name, { shape }]) => [name, { shape, data: weights.values(name) }] as const,
    ),
    column('state.impressions', impressions),
    column('state.takes', takes),
    column('state.removed', catalogue.removedRows),
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

/** What is known of the uncertainty beside the counts. */
function learnedTensors({ uncertainty, deviations }: Live): [string, TensorToWrite][] {
  const gathered = uncertainty.save?.() ?? new Map<string, SavedTensor>()
  const tensors = Array.from(gathered, ([name, tensor]): [string, TensorToWrite] => [
    gatheredPrefix(uncertainty.name) + name,
    tensor,
  ])
  if (deviations === undefined) return tensors
  const { rows, columns, values } = deviations.table.parameter.value
  return [...tensors, [DEVIATIONS, { shape: [rows, columns], data: values }]]
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
  return {
    model,
    state,
    counters,
    gathered: (estimator) => gatheredIn(file, gatheredPrefix(estimator)),
    deviations: deviationsIn(file, model),
  }
}

function gatheredIn(file: TensorFile, prefix: string): SavedEvidence {
  const names = [...file.tensors.keys()].filter((name) => name.startsWith(prefix))
  return new Map(
    names.map((name) => {
      const data = file.values(name)
      if (data instanceof BigInt64Array) throw malformed(`${name}: expected no int64`)
      return [name.slice(prefix.length), { shape: file.shape(name), data }]
    }),
  )
}

function deviationsIn(file: TensorFile, { itemCount, dimension }: SequenceModel) {
  if (!file.tensors.has(DEVIATIONS)) return null
  const shape = file.shape(DEVIATIONS)
  const values = file.floats(DEVIATIONS)
  const fits = shape.length === 2 && shape[0] === itemCount + 1 && shape[1] === dimension
  if (fits && values.every(Number.isFinite)) return values
  throw malformed(`${DEVIATIONS}: expected ${itemCount + 1} × ${dimension} finite numbers`)
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
    !history.every(
      ([item, reward, time]) => isItem(item!) && isReward(reward!) && Number.isFinite(time),
    ) ||
    !impressions.every(
      ([after, item, reward]) =>
        isCount(after!) && isItem(item!) && (Number.isNaN(reward) || isReward(reward!)),
    )
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
