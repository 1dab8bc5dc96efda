// Users as tensors: a record of each, and the columns of all of them one after the other.

import type { TensorFile } from '../models/index.ts'
import type { FileContents, TensorToWrite } from '../models/files/safetensors.ts'
import { formOf, PackedList } from './packed-list.ts'
import type { ArrayTypes, Columns, Form, Layout, PackedRows } from './packed-list.ts'
import { isReward } from './requirements.ts'
import { isBelow, isCount, malformed, namesIn } from './saved-values.ts'
import { historyForm, impressionForm, interactionsOf, slateForm } from './user-state.ts'
import type { MutableUser, UserState } from './user-state.ts'

const NAMES = 'userNames'
const EVENTS = 'userEvents'

const recordForm = formOf({
  history: 'float64',
  historyDropped: 'float64',
  /** NaN where there is none. */
  timeBefore: 'float64',
  impressions: 'float64',
  impressionsDropped: 'float64',
  keptSlates: 'float64',
  keptSlatesDropped: 'float64',
  slates: 'float64',
  slateReward: 'float64',
  lastRewarded: 'float64',
})

/** The tensors and texts that hold these users, as they are after so many events. */
export function saveUsers(
  users: readonly (readonly [string, UserState])[],
  events: number,
): FileContents {
  const states = users.map(([, user]) => user)
  const records = new PackedList(recordForm)
  for (const user of states) records.push(recordOf(user))
  const tensors = new Map([
    ...tensorsOf('users', recordForm, [records]),
    ...tensorsOf('users.history', historyForm, pick(states, 'history')),
    ...tensorsOf('users.impressions', impressionForm, pick(states, 'impressions')),
    ...tensorsOf('users.keptSlates', slateForm, pick(states, 'keptSlates')),
  ])
  const names = JSON.stringify(users.map(([name]) => name))
  return { tensors, metadata: { [NAMES]: names, [EVENTS]: String(events) } }
}

const pick = <K extends keyof UserState>(users: readonly UserState[], key: K) =>
  users.map((user) => user[key])

function recordOf(user: UserState) {
  const { history, impressions, keptSlates, slates, slateReward, lastRewarded } = user
  return {
    history: history.length,
    historyDropped: history.dropped,
    timeBefore: user.timeBefore ?? Number.NaN,
    impressions: impressions.length,
    impressionsDropped: impressions.dropped,
    keptSlates: keptSlates.length,
    keptSlatesDropped: keptSlates.dropped,
    slates,
    slateReward,
    lastRewarded,
  }
}

/** The users of a file, which must be of the same moment as the head; none where it holds none. */
export function* usersIn(
  file: TensorFile,
  itemCount: number,
  events: number,
): Generator<[string, MutableUser]> {
  if (file.metadata[NAMES] === undefined) return
  if (file.metadata[EVENTS] !== String(events))
    throw malformed('the parts are of different moments')
  const names = namesIn(file, NAMES)
  const records = columnsIn(file, 'users', recordForm)
  const history = columnsIn(file, 'users.history', historyForm)
  const impressions = columnsIn(file, 'users.impressions', impressionForm)
  const keptSlates = columnsIn(file, 'users.keptSlates', slateForm)
  requireValues(history, impressions, keptSlates, itemCount)
  if (records.slates.length !== names.length) throw misfit()
  const nextHistory = divide(historyForm, history)
  const nextImpressions = divide(impressionForm, impressions)
  const nextSlates = divide(slateForm, keptSlates)
  for (const [i, name] of names.entries()) {
    const timeBefore = records.timeBefore[i]!
    const user = {
      history: nextHistory(records.history[i]!, records.historyDropped[i]!),
      timeBefore: Number.isNaN(timeBefore) ? null : timeBefore,
      impressions: nextImpressions(records.impressions[i]!, records.impressionsDropped[i]!),
      keptSlates: nextSlates(records.keptSlates[i]!, records.keptSlatesDropped[i]!),
      slates: records.slates[i]!,
      slateReward: records.slateReward[i]!,
      lastRewarded: records.lastRewarded[i]!,
    }
    requireUser(user)
    yield [name, user]
  }
}

function requireValues(
  history: Columns<typeof historyForm.layout>,
  impressions: Columns<typeof impressionForm.layout>,
  keptSlates: Columns<typeof slateForm.layout>,
  itemCount: number,
): void {
  const isItem = isBelow(itemCount)
  const fits =
    history.items.every(isItem) &&
    history.rewards.every(isReward) &&
    history.times.every(Number.isFinite) &&
    impressions.items.every(isItem) &&
    impressions.rewards.every((reward) => Number.isNaN(reward) || isReward(reward)) &&
    keptSlates.times.every(Number.isFinite) &&
    keptSlates.counts.every((count) => count >= 0)
  if (!fits) throw misfit()
}

/** Moments and slates must lie within what they point into, and not fall. */
function requireUser(user: UserState): void {
  const { impressions, keptSlates, timeBefore, slates, slateReward, lastRewarded } = user
  const { after } = impressions.columns()
  const { from, counts } = keptSlates.columns()
  const end = impressions.dropped + impressions.length
  const fits =
    [slates, lastRewarded].every(isCount) &&
    Number.isFinite(slateReward) &&
    Number.isFinite(timeBefore ?? 0) &&
    rises(after, interactionsOf(user)) &&
    rises(from, end) &&
    counts.every((count, i) => from[i]! + count <= end)
  if (!fits) throw misfit()
}

function rises(values: Int32Array, most: number): boolean {
  let last = 0
  for (const value of values) {
    if (value < last) return false
    last = value
  }
  return last <= most
}

function tensorsOf<L extends Layout>(
  prefix: string,
  form: Form<L>,
  lists: readonly PackedRows<L>[],
): [string, TensorToWrite][] {
  const columns = PackedList.joined(form, lists).columns()
  return form.columns.map(({ name }) => {
    const column: ArrayTypes[keyof ArrayTypes] = columns[name]
    const data = column instanceof Uint8Array ? Int32Array.from(column) : column
    return [`${prefix}.${name}`, { shape: [data.length], data }]
  })
}

function columnsIn<L extends Layout>(file: TensorFile, prefix: string, form: Form<L>): Columns<L> {
  const columns = form.columns.map(({ name, array }) => {
    const data = file.values(`${prefix}.${name}`)
    if (data instanceof array) return [name, data] as const
    if (array === Uint8Array && data instanceof Int32Array) {
      if (data.every(isBelow(256))) return [name, Uint8Array.from(data)] as const
    }
    throw malformed(`${prefix}.${name}: expected other values`)
  })
  const lengths = new Set(columns.map(([, { length }]) => length))
  if (lengths.size > 1) throw malformed(`${prefix}: expected columns of one length`)
  return Object.fromEntries(columns) as unknown as Columns<L>
}

/** Takes the rows of one user after the other. */
function divide<L extends Layout>(form: Form<L>, columns: Columns<L>) {
  let at = 0
  const { length } = columns[form.columns[0]!.name]
  return (count: number, dropped: number): PackedList<L> => {
    const from = at
    at += count
    if (!isCount(count) || !isCount(dropped) || at > length) throw misfit()
    return PackedList.of(form, columns, from, at, dropped)
  }
}

function misfit() {
  return malformed('the columns of the users do not fit each other or the catalogue')
}
