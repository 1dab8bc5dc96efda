// The catalog in two dimensions, for the eye: the two principal axes of the vectors of one group.

import { describeValue } from '../../core/describe-value.ts'
import { RenError } from '../../core/errors.ts'
import { invalid } from '../../recommender/requirements.ts'
import type { Attributes } from '../../storage/index.ts'
import { requireText } from '../../storage/log-event.ts'
import type { ItemMap } from '../schemas/items.ts'
import { groupNamed } from '../state/model-groups.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import { runInSlices } from '../learning/run-in-slices.ts'
import type { LiveState } from '../state/live-state.ts'

/** Which items, and which user, to place on the map. */
export interface ItemMapRequest {
  /** The variant whose model to use. Defaults to the first. */
  readonly group?: string
  /** Most items; an even sample is taken where there are more. */
  readonly limit: number
  /** An attribute to tell items apart by. */
  readonly attribute?: string
  /** Whose taste is to be on it; a user of another group is an error. */
  readonly user?: string
}

/**
 * Refuses a group or a user that does not exist.
 *
 * @param ended Aborts when the service closes.
 */
export function createItemMap(
  state: LiveState,
  ended: AbortSignal,
): (request: ItemMapRequest) => Promise<ItemMap> {
  const { groups } = state
  const preparing = new Map<string, Promise<void>>()

  /** Requests at the same time wait for the same vectors. */
  function prepare({ name, recommender }: ModelGroup): Promise<void> {
    const running = preparing.get(name) ?? runInSlices(recommender.prepareMap())
    preparing.set(name, running)
    return running.finally(() => preparing.delete(name))
  }

  return async ({ group: groupName, limit, attribute, user }) => {
    ended.throwIfAborted()
    const group = groupName === undefined ? groups[0]! : groupNamed(groups, groupName)
    if (user !== undefined) requireUserOf(group, user, state)
    await prepare(group)
    ended.throwIfAborted()
    return describeMap(group, group.recommender.mapItems(limit, user), state, attribute)
  }
}

function describeMap(
  group: ModelGroup,
  mapped: ReturnType<ModelGroup['recommender']['mapItems']>,
  { catalog, attributes, itemCount }: LiveState,
  attribute: string | undefined,
): ItemMap {
  const items = listOf(mapped.rows, (row) => catalog.names[row]!)
  const categoryOf = (item: string) => textOf(attributes.of(item)[attribute!])
  const decimals = decimalsOf(mapped.x, mapped.y)
  return {
    group: group.name,
    modelVersion: group.version,
    basis: mapped.basis,
    count: itemCount,
    items,
    x: rounded(mapped.x, decimals),
    y: rounded(mapped.y, decimals),
    impressions: Array.from(mapped.impressions),
    uncertainty: rounded(mapped.uncertainty, decimalsOf(mapped.uncertainty)),
    category: attribute === undefined ? null : items.map(categoryOf),
    variance: mapped.variance,
    user: mapped.user,
  }
}

function requireUserOf(group: ModelGroup, user: string, { servedBy }: LiveState): void {
  requireText(user, 'user')
  const { name } = servedBy(user).group
  if (name !== group.name) {
    throw invalid(`user: ${describeValue(user)} is of the group ${name}, not of ${group.name}`)
  }
  if (group.recommender.state.users.has(user)) return
  throw new RenError('not-found', `there is no user ${describeValue(user)}`)
}

function textOf(value: Attributes[string] | undefined): string | null {
  if (value === undefined) return null
  return typeof value === 'object' ? value.join(', ') : String(value)
}

/** Of the largest value: more would be sent, and not be seen. */
const digits = 5

type Column = Int32Array | Float32Array | Float64Array

/**
 * How many decimals leave that many digits; fewer than 0 where the last of them stand before the
 * point.
 */
function decimalsOf(...columns: readonly Column[]): number {
  let largest = 0
  for (const column of columns) {
    for (let i = 0; i < column.length; i++) largest = Math.max(largest, Math.abs(column[i]!))
  }
  return largest > 0 ? digits - 1 - Math.floor(Math.log10(largest)) : 0
}

/** As the numbers nearest to so many decimals, whose texts are short. */
function rounded(values: Column, decimals: number): number[] {
  const scale = 10 ** Math.abs(decimals)
  return decimals < 0
    ? listOf(values, (value) => Math.round(value / scale) * scale)
    : listOf(values, (value) => Math.round(value * scale) / scale)
}

/** As Array.from, which is slow on typed arrays. */
function listOf<T>(values: Column, make: (value: number) => T): T[] {
  const created: T[] = []
  for (let i = 0; i < values.length; i++) created.push(make(values[i]!))
  return created
}
