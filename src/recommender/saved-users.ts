// Users as tensors: one record per user, and the concatenated lists of all users.

import type { FileContents, TensorToWrite } from '../models/files/safetensors.ts'
import { PairMemory, rememberedItems } from '../exploration/pair-memory.ts'
import type { TensorFile } from '../models/index.ts'
import { joinRows, PackedList, formOf, RowPool, Slab } from './packed-list.ts'
import type { PackedRows, ArrayTypes, Columns, Form, Layout } from './packed-list.ts'
import { largestReward } from './requirements.ts'
import { isCount, isWithin, isWithinOrNaN, malformed, namesIn, neverFalls } from './saved-values.ts'
import {
  droppedForm,
  historyForm,
  impressionForm,
  interactionsOf,
  slateForm,
} from './user-state.ts'
import type { MutableUser, UserMemory, UserState } from './user-state.ts'

const NAMES = 'userNames'
const EVENTS = 'userEvents'
const PAIRS = 'users.pairs'
const PAIR_COUNTS = 'users.pairs.counts'

const recordForm = formOf({
  history: 'float64',
  historyDropped: 'float64',
  /** NaN if the history is whole. */
  timeBefore: 'float64',
  impressions: 'float64',
  impressionsDropped: 'float64',
  /** The length of `recentSlates`. The files retain the old name. */
  keptSlates: 'float64',
  keptSlatesDropped: 'float64',
  droppedItems: 'float64',
  slates: 'float64',
  slateReward: 'float64',
  possibleRepeats: 'float64',
  repeats: 'float64',
  lastRewarded: 'float64',
})

const pairForm = formOf({
  items: 'int32',
  precision: 'float32',
  weighted: 'float32',
  relevance: 'float32',
  flags: 'uint8',
})
const largestFloat = 2 ** 128

/**
 * Returns the files of these users. Each kind of list is a separate file, so that its memory can be
 * freed separately. The files may be joined.
 *
 * @param events The number of the last event, which marks the files of one moment.
 */
export function saveUsers(
  users: readonly (readonly [string, UserState])[],
  events: number,
): readonly FileContents[] {
  const states = users.map(([, user]) => user)
  const records = new PackedList(new RowPool(recordForm))
  for (const user of states) records.push(recordOf(user))
  const listsOf = <K extends keyof UserState>(key: K) => states.map((user) => user[key])
  const dropped = listsOf('droppedItems').filter((list) => list !== null)
  const files = [
    [...tensorsOf('users', recordForm, [records]), ...pairTensors(listsOf('pairs'))],
    tensorsOf('users.history', historyForm, listsOf('history')),
    tensorsOf('users.impressions', impressionForm, listsOf('impressions')),
    tensorsOf('users.keptSlates', slateForm, listsOf('recentSlates')),
    tensorsOf('users.droppedItems', droppedForm, dropped),
  ]
  const metadata = { [EVENTS]: String(events) }
  const names = JSON.stringify(users.map(([name]) => name))
  return files.map((tensors, i) => ({
    tensors: new Map(tensors),
    metadata: i === 0 ? { ...metadata, [NAMES]: names } : metadata,
  }))
}

/** Collects files with users until there is one of each kind. */
export function createUserFiles(events: number) {
  let waiting: TensorFile[] = []
  return {
    /**
     * Returns the joined files once they are complete; null before, or if the file has no users.
     */
    add(file: TensorFile): TensorFile | null {
      const moment = file.metadata[EVENTS]
      if (moment === undefined) return null
      if (moment !== String(events)) throw malformed('its parts are from different moments')
      const isRepeated = waiting.some(({ tensors }) =>
        kinds.some((kind) => tensors.has(kind) && file.tensors.has(kind)),
      )
      if (isRepeated) throw malformed('it contains a part twice')
      waiting.push(file)
      const whole = asOne(waiting)
      if (!kinds.every((tensor) => whole.tensors.has(tensor))) return null
      waiting = []
      return whole
    },
    get isComplete() {
      return waiting.length === 0
    },
  }
}

/** A tensor of each kind of file. */
const kinds = [
  'users.slates',
  'users.history.items',
  'users.impressions.items',
  'users.keptSlates.ids',
  'users.droppedItems.items',
]

function asOne(files: readonly TensorFile[]): TensorFile {
  const of = (name: string): TensorFile =>
    files.find(({ tensors }) => tensors.has(name)) ?? files[0]!
  return {
    tensors: new Map(files.flatMap(({ tensors }) => [...tensors])),
    metadata: Object.assign({}, ...files.map(({ metadata }) => metadata)) as TensorFile['metadata'],
    shape: (name) => of(name).shape(name),
    values: (name) => of(name).values(name),
    floats: (name) => of(name).floats(name),
    integers: (name) => of(name).integers(name),
  }
}

function recordOf(user: UserState) {
  const { history, impressions, recentSlates, droppedItems, timeBefore, pairs: _, ...counts } = user
  return {
    ...counts,
    history: history.length,
    historyDropped: history.dropped,
    timeBefore: timeBefore ?? Number.NaN,
    impressions: impressions.length,
    impressionsDropped: impressions.dropped,
    keptSlates: recentSlates.length,
    keptSlatesDropped: recentSlates.dropped,
    droppedItems: droppedItems?.length ?? 0,
  }
}

/** The memories of the reward model: their lengths, and their pairs end to end. None without a model. */
function pairTensors(memories: readonly (PairMemory | null)[]): [string, TensorToWrite][] {
  if (memories.every((memory) => memory === null)) return []
  const pool = new RowPool(pairForm)
  const lists = memories.map((memory) =>
    memory === null ? new PackedList(pool) : PackedList.of(pool, memory.saved()),
  )
  const counts = Int32Array.from(lists, ({ length }) => length)
  return [
    [PAIR_COUNTS, { shape: [counts.length], data: counts }],
    ...tensorsOf(PAIRS, pairForm, lists),
  ]
}

/** Returns the memories of the users in order; null where the file has no pairs. */
function pairsIn(file: TensorFile, userCount: number, itemCount: number): (PairMemory | null)[] {
  if (!file.tensors.has(PAIR_COUNTS)) return Array.from({ length: userCount }, () => null)
  const counts = file.integers(PAIR_COUNTS)
  const columns = columnsIn(file, PAIRS, pairForm)
  const total = counts.reduce((sum, count) => sum + count, 0)
  const fits =
    counts.length === userCount &&
    isWithin(counts, 0, rememberedItems) &&
    total === columns.items.length &&
    isWithin(columns.items, 0, itemCount - 1) &&
    isWithin(columns.precision, 0, largestFloat) &&
    isWithin(columns.weighted, -largestFloat, largestFloat)
  if (!fits) throw misfit()
  let end = 0
  return Array.from(counts, (count) => {
    const start = end
    end += count
    return count === 0 ? null : PairMemory.restored(columns, start, end)
  })
}

/** Reads the users of a file. */
export function* usersIn(
  file: TensorFile,
  itemCount: number,
  memory: UserMemory,
  areShared: boolean,
): Generator<[string, MutableUser]> {
  const names = namesIn(file, NAMES)
  const records = columnsIn(file, 'users', recordForm)
  const lists = openLists(file, memory, areShared)
  const pairs = pairsIn(file, names.length, itemCount)
  requireValues(lists, itemCount)
  if (records.slates.length !== names.length) throw misfit()
  for (const [i, name] of names.entries()) {
    yield [name, { ...nextUser(records, i, lists, itemCount), pairs: pairs[i]! }]
  }
  if (Object.values(lists).some((list) => list.left() > 0)) throw misfit()
}

type Records = Columns<typeof recordForm.layout>

type SavedLists = ReturnType<typeof openLists>

const openLists = (file: TensorFile, memory: UserMemory, areShared: boolean) => ({
  history: openList(file, 'users.history', memory.history, areShared),
  impressions: openList(file, 'users.impressions', memory.impressions, areShared),
  recentSlates: openList(file, 'users.keptSlates', memory.recentSlates, areShared),
  droppedItems: openList(file, 'users.droppedItems', memory.droppedItems, areShared),
})

function nextUser(records: Records, i: number, lists: SavedLists, itemCount: number): MutableUser {
  const { history, impressions, recentSlates, droppedItems } = lists
  const count = (name: keyof Records): number => asSmall(records[name][i]!)
  const timeBefore = records.timeBefore[i]!
  const [firstImpression, firstSlate] = [impressions.place(), recentSlates.place()]
  const firstDropped = droppedItems.place()
  const user = {
    history: history.rows(count('history'), count('historyDropped')),
    timeBefore: Number.isNaN(timeBefore) ? null : timeBefore,
    impressions: impressions.rows(count('impressions'), count('impressionsDropped')),
    recentSlates: recentSlates.rows(count('keptSlates'), count('keptSlatesDropped')),
    droppedItems: count('droppedItems') === 0 ? null : droppedItems.rows(count('droppedItems'), 0),
    pairs: null,
    slates: count('slates'),
    slateReward: records.slateReward[i]!,
    possibleRepeats: count('possibleRepeats'),
    repeats: count('repeats'),
    lastRewarded: count('lastRewarded'),
  }
  requireUser(user)
  // Moments must never fall, and must lie within the history.
  const fits =
    neverFalls(
      impressions.columns.after,
      interactionsOf(user),
      firstImpression,
      impressions.place(),
    ) && neverFalls(droppedItems.columns.items, itemCount - 1, firstDropped, droppedItems.place())
  if (!fits) throw misfit()
  requireSlates(user, recentSlates.columns, firstSlate)
  return user
}

function requireValues(
  { history, impressions, recentSlates }: SavedLists,
  itemCount: number,
): void {
  const last = itemCount - 1
  const fits =
    isWithin(history.columns.items, 0, last) &&
    isWithin(history.columns.rewards, -largestReward, largestReward) &&
    isWithin(history.columns.times, -Number.MAX_VALUE, Number.MAX_VALUE) &&
    isWithin(impressions.columns.items, 0, last) &&
    isWithinOrNaN(impressions.columns.rewards, -largestReward, largestReward) &&
    isWithin(recentSlates.columns.times, -Number.MAX_VALUE, Number.MAX_VALUE) &&
    isWithin(recentSlates.columns.counts, 0, Infinity)
  if (!fits) throw misfit()
}

function requireUser(user: UserState): void {
  const { timeBefore, slates, slateReward, possibleRepeats, repeats, lastRewarded } = user
  const fits =
    [slates, lastRewarded, possibleRepeats, repeats].every(isCount) &&
    repeats <= possibleRepeats &&
    Number.isFinite(slateReward) &&
    Number.isFinite(timeBefore ?? 0)
  if (!fits) throw misfit()
}

/**
 * Slates must never fall, and must lie within the impressions. The columns are checked in place,
 * because a view per user would cost more than the check.
 */
function requireSlates(
  { impressions, recentSlates }: UserState,
  { from, counts }: Columns<typeof slateForm.layout>,
  first: number,
): void {
  const end = first + recentSlates.length
  const max = impressions.dropped + impressions.length
  let fits = neverFalls(from, max, first, end)
  for (let at = first; at < end; at++) fits &&= from[at]! + counts[at]! <= max
  if (!fits) throw misfit()
}

function tensorsOf<L extends Layout>(
  prefix: string,
  form: Form<L>,
  lists: readonly PackedRows<L>[],
): [string, TensorToWrite][] {
  const columns = joinRows(form, lists)
  return form.columns.map(({ name }) => {
    const column: ArrayTypes[keyof ArrayTypes] = columns[name]
    const data = column instanceof Uint8Array ? asWords(column) : column
    return [`${prefix}.${name}`, { shape: [data.length], data }]
  })
}

function columnsIn<L extends Layout>(file: TensorFile, prefix: string, form: Form<L>): Columns<L> {
  const [first] = form.columns
  const { length } = file.values(`${prefix}.${first!.name}`)
  const columns = form.columns.map(({ name, array }) => {
    const data = file.values(`${prefix}.${name}`)
    const column = array === Uint8Array && data instanceof Int32Array ? asBytes(data, length) : data
    if (column instanceof array && column.length === length) return [name, column]
    throw malformed(`${prefix}.${name} must be ${length} values in a ${array.name}`)
  })
  return Object.fromEntries(columns) as Columns<L>
}

/** Packs four bytes into each word, because the files have no byte type. */
function asWords(bytes: Uint8Array): Int32Array {
  const words = new Int32Array(Math.ceil(bytes.length / 4))
  new Uint8Array(words.buffer).set(bytes)
  return words
}

const asBytes = ({ buffer, byteOffset }: Int32Array, length: number): Uint8Array =>
  new Uint8Array(buffer, byteOffset, length)

/** Opens one kind of list in a file, and gives each user the next rows in place. */
function openList<L extends Layout>(
  file: TensorFile,
  prefix: string,
  pool: RowPool<L>,
  areShared: boolean,
) {
  const columns = columnsIn(file, prefix, pool.form)
  const slab = new Slab(columns, columns[pool.form.columns[0]!.name].length, areShared)
  return {
    columns,
    rows(count: number, dropped: number): PackedList<L> {
      if (!isCount(count) || !isCount(dropped) || count > slab.freeRows) throw misfit()
      return PackedList.in(pool, slab, count, dropped)
    },
    /** The position of the next row in the file. */
    place: () => slab.rows - slab.freeRows,
    left: () => slab.freeRows,
  }
}

/**
 * Converts a count to a small integer: V8 allocates an object for a number from a Float64Array, and
 * users have many counts.
 */
const asSmall = (count: number): number => ((count | 0) === count ? count | 0 : count)

function misfit() {
  return malformed('the columns of the users do not fit each other or the catalog')
}
