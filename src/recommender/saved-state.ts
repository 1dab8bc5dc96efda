// The state as files: a head with the catalog, and the counts, followed by users in
// parts. One file may contain all of them.

import { RenError } from '../core/errors.ts'
import { writeSafetensors } from '../models/files/safetensors.ts'
import type { FileContents, TensorToWrite } from '../models/files/safetensors.ts'
import type { SavedRewardModel } from '../exploration/reward-model.ts'
import { readSafetensors, type TensorFile } from '../models/index.ts'
import { tablesOf } from '../models/training/item-deviations.ts'
import { Catalog, itemTableNames, knownRows, type KnownRows } from './catalog.ts'
import type { RecommenderParts } from './decisions.ts'
import { createUserFiles, saveUsers, usersIn } from './saved-users.ts'
import { isCount, isWithin, malformed, namesIn, parsed, stateFormat } from './saved-values.ts'
import { createUserMemory } from './user-state.ts'
import type { MutableUser, UserMemory, UserState } from './user-state.ts'
import { emptyState, State, type MaxPerUser, type StateContents } from './state.ts'

/** The parts of a recommender that the files contain. */
export type LiveState = Pick<RecommenderParts, 'model' | 'deviations' | 'state' | 'rewards'>

/** The contents of the files. */
export interface SavedState {
  readonly state: State
  /** Rows of items that the weights lacked. */
  readonly added: KnownRows | null
  readonly rewards: SavedRewards | null
}

/** A reward model without the memories of the users. */
export interface SavedRewards {
  readonly objective: unknown
  readonly arrays: SavedRewardModel
}

const addedPrefix = 'added.'
const rewardsPrefix = 'rewards.'

/**
 * Returns the head. It contains the rows of the items from `firstNew` on, which the weights may
 * lack.
 */
export function saveHead(live: LiveState, firstNew: number): FileContents {
  const { state, rewards } = live
  const { catalog, impressions, interactions, events, users } = state
  const tensors = new Map<string, TensorToWrite>([
    ...tablesOf(live.model, live.deviations).map(({ parameter: { name, value } }) => {
      const { rows, columns, values } = value
      const shape = [rows - 1 - firstNew, columns]
      const data = values.subarray((1 + firstNew) * columns)
      return [addedPrefix + name, { shape, data }] as const
    }),
    ...Array.from(rewards?.save() ?? [], ([name, data]) => column(rewardsPrefix + name, data)),
    column('state.impressions', impressions),
    column('state.takes', interactions),
    column('state.removed', catalog.removedRows),
    column('state.days', Int32Array.from(state.days.keys())),
    column('state.dayCounts', Int32Array.from(state.days.values())),
  ])
  const metadata = {
    state: JSON.stringify({
      format: stateFormat,
      events,
      users: users.size,
      firstNew,
      // Absent without a reward model.
      rewards: rewards?.objective,
    }),
    itemNames: JSON.stringify(catalog.names),
  }
  return { tensors, metadata }
}

/** Writes the head, then the users in parts. Apply no event before the last part. */
export function* writeState(
  live: LiveState,
  firstNew: number,
  usersPerPart: number,
): Generator<Uint8Array<ArrayBuffer>> {
  const { state } = live
  const { events } = state
  yield writeSafetensors(saveHead(live, firstNew))
  for (const users of inParts(state.users, usersPerPart)) {
    if (state.events !== events) {
      throw new RenError(
        'stale-state',
        `saveState: no event may be applied between two parts, got event ${state.events} after ${events}`,
      )
    }
    for (const contents of saveUsers(users, events)) yield writeSafetensors(contents)
  }
}

function* inParts(users: StateContents['users'], size: number) {
  let part: [string, UserState][] = []
  for (const entry of users) {
    if (part.push(entry) < size) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}

/**
 * Who owns the parts that a state is read from. The state uses the memory of `given` parts. It
 * reads the memory of `shared` parts without writing to it, and copies `lent` parts.
 */
export type PartsOwner = 'given' | 'shared' | 'lent'

/** Reads a state part by part. */
export function createStateReader(maxPerUser: MaxPerUser, parts: PartsOwner) {
  let head: Head | null = null
  let files: ReturnType<typeof createUserFiles> | null = null
  const [users, memory] = [new Map<string, MutableUser>(), createUserMemory()]
  let found = 0
  return {
    add(part: Uint8Array): void {
      const file = readSafetensors(part, { inPlace: parts !== 'lent' })
      head ??= headIn(file)
      files ??= createUserFiles(head.events)
      const whole = files.add(file)
      if (whole === null) return
      const { length } = head.itemNames
      for (const [name, user] of usersIn(whole, length, memory, parts === 'shared')) {
        users.set(name, user)
        found += 1
      }
    },
    /**
     * Call it after the last part.
     *
     * @param mayBeEmpty Whether no parts mean an empty state. Otherwise they are an error.
     */
    finish(mayBeEmpty = false): SavedState {
      if (head === null && mayBeEmpty) {
        return { state: emptyState([], maxPerUser), added: null, rewards: null }
      }
      if (head === null) throw malformed('a state has at least one part')
      const { userCount } = head
      if (!files!.isComplete) throw malformed('its last parts are missing')
      if (found !== userCount || users.size !== userCount) {
        throw malformed(`it must have ${userCount} users, got ${found} with ${users.size} names`)
      }
      return savedState(head, users, memory, maxPerUser)
    },
  }
}

function savedState(
  { file, itemNames, events, firstNew, objective }: Head,
  users: Map<string, MutableUser>,
  memory: UserMemory,
  maxPerUser: MaxPerUser,
): SavedState {
  const { length } = itemNames
  const counts = (name: string) => {
    // Copied, so that the head's memory can be freed.
    const values = file.floats(name).slice()
    if (values.length === length && isWithin(values, 0, Infinity)) return values
    throw malformed(`${name} must have ${length} counts`)
  }
  const removed = file.integers('state.removed')
  if (!isWithin(removed, 0, length - 1)) {
    throw malformed(`state.removed must be rows from 0 to ${length - 1}`)
  }
  const contents = {
    catalog: new Catalog(itemNames, removed),
    users,
    memory,
    impressions: counts('state.impressions'),
    interactions: counts('state.takes'),
    days: daysIn(file),
    events,
  }
  return {
    state: new State(contents, maxPerUser),
    added: rowsIn(file, addedPrefix, 0, { itemNames, first: firstNew }),
    rewards: objective === undefined ? null : { objective, arrays: rewardsIn(file) },
  }
}

/**
 * Returns the rows in a file of the items from `first` on; null if there are no such items.
 *
 * @param others The number of rows of other items at the start of its tables.
 */
export function rowsIn(
  file: TensorFile,
  prefix: string,
  others: number,
  { itemNames, first }: { readonly itemNames: readonly string[]; readonly first: number },
): KnownRows | null {
  const count = itemNames.length - first
  if (count <= 0) return null
  const tables = itemTableNames.filter((name) => file.tensors.has(prefix + name))
  return knownRows(
    first,
    itemNames,
    new Map(
      tables.map((name) => {
        const [rows, columns = 1] = file.shape(prefix + name)
        const values = file.floats(prefix + name).subarray(others * columns)
        if (rows === others + count && isWithin(values, -Number.MAX_VALUE, Number.MAX_VALUE)) {
          return [name, values]
        }
        throw malformed(`${prefix + name} must be ${others + count} rows of finite numbers`)
      }),
    ),
  )
}

type Head = ReturnType<typeof headIn>

function headIn(file: TensorFile) {
  const value = parsed(file, 'state') as Readonly<Record<string, unknown>> | null
  const { format, events, users: userCount, firstNew, rewards: objective } = value ?? {}
  if (format === stateFormat && isCount(events) && isCount(userCount) && isCount(firstNew)) {
    return { file, itemNames: namesIn(file, 'itemNames'), events, userCount, firstNew, objective }
  }
  throw malformed(`the state must have the format ${stateFormat}`)
}

function rewardsIn(file: TensorFile): SavedRewardModel {
  const names = [...file.tensors.keys()].filter((name) => name.startsWith(rewardsPrefix))
  return new Map(
    names.map((name) => {
      const data = file.values(name)
      if (data instanceof Float64Array) return [name.slice(rewardsPrefix.length), data.slice()]
      throw malformed(`${name} must be float64`)
    }),
  )
}

function daysIn(file: TensorFile): Map<number, number> {
  const [days, counts] = [file.integers('state.days'), file.integers('state.dayCounts')]
  if (days.length !== counts.length || !isWithin(counts, 1, Infinity)) {
    throw malformed('state.dayCounts must have a count for each day')
  }
  return new Map(Array.from(days, (day, i) => [day, counts[i]!]))
}

function column(name: string, data: Float32Array | Float64Array | Int32Array) {
  return [name, { shape: [data.length], data }] as const
}
