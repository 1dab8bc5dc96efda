// A map of the catalog: item vectors of one model group, projected onto their two principal axes.

import { describeValue } from '../../core/describe-value.ts'
import { invalidAt, RenError } from '../../core/errors.ts'
import type { Attributes } from '../../storage/index.ts'
import { requireName } from '../../storage/log-event.ts'
import type { ItemMap } from '../schemas/items.ts'
import { groupNamed, type ModelGroup } from '../state/model-groups.ts'
import { runInSlices } from '../learning/run-in-slices.ts'
import type { ServiceParts } from '../service-api.ts'
import type { Service } from '../service.ts'
import type { LiveState } from '../state/live-state.ts'

/** Which items, and which user, to place on the map. */
export interface ItemMapRequest {
  /** The model group. Defaults to the first. */
  readonly group?: string
  /** Maximum number of items. A larger catalog is sampled evenly. */
  readonly limit: number
  /** An attribute that becomes the category of the items. Defaults to no categories. */
  readonly attribute?: string
  /** A user of the group to place on the map. Defaults to none. */
  readonly user?: string
}

export function createItemMap({
  state,
  tailer,
}: Pick<ServiceParts, 'state' | 'tailer'>): Service['itemMap'] {
  const { groups } = state
  const preparing = new Map<string, Promise<void>>()

  /** Concurrent requests share one computation of the vectors. */
  function prepare({ name, recommender }: ModelGroup): Promise<void> {
    const running = preparing.get(name) ?? runInSlices(recommender.prepareMap())
    preparing.set(name, running)
    return running.finally(() => preparing.delete(name))
  }

  return async ({ group: groupName, limit, attribute, user }) => {
    tailer.beginRead()
    const group = groupName === undefined ? groups[0]! : groupNamed(groups, groupName)
    if (user !== undefined) requireUserOf(group, user, state)
    await prepare(group)
    tailer.beginRead()
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
  requireName(user, 'user')
  const { name } = servedBy(user).group
  if (name !== group.name) {
    throw invalidAt(
      'user',
      `must be of the group ${group.name}, got ${describeValue(user)} of ${name}`,
    )
  }
  if (group.recommender.state.users.has(user)) return
  throw new RenError('not-found', `there is no user ${describeValue(user)}`, { path: 'user' })
}

function textOf(value: Attributes[string] | undefined): string | null {
  if (value === undefined) return null
  return typeof value === 'object' ? value.join(', ') : String(value)
}

/** Significant digits of the largest value. More would only make the response longer. */
const digits = 5

type Column = Int32Array | Float32Array | Float64Array

/** The number of decimals for that many digits; negative for large values. */
function decimalsOf(...columns: readonly Column[]): number {
  let largest = 0
  for (const column of columns) {
    for (let i = 0; i < column.length; i++) largest = Math.max(largest, Math.abs(column[i]!))
  }
  return largest > 0 ? digits - 1 - Math.floor(Math.log10(largest)) : 0
}

/** Rounds to a number of decimals, which makes the JSON short. */
function rounded(values: Column, decimals: number): number[] {
  const scale = 10 ** Math.abs(decimals)
  return decimals < 0
    ? listOf(values, (value) => Math.round(value / scale) * scale)
    : listOf(values, (value) => Math.round(value * scale) / scale)
}

/** Like Array.from, which is slow on typed arrays. */
function listOf<T>(values: Column, make: (value: number) => T): T[] {
  const created: T[] = []
  for (let i = 0; i < values.length; i++) created.push(make(values[i]!))
  return created
}
