// The catalog in two dimensions, for the eye: the two principal axes of the vectors of one group.

import { describeValue } from '../../core/describe-value.ts'
import { RenError } from '../../core/errors.ts'
import { invalid } from '../../recommender/requirements.ts'
import type { MapBasis } from '../../recommender/index.ts'
import type { Attributes } from '../../storage/index.ts'
import { requireText } from '../../storage/plain-json.ts'
import { groupNamed } from '../state/model-groups.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import { runInSlices } from '../learning/run-in-slices.ts'
import type { ServiceParts } from '../service-parts.ts'

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

/** The items of the map in columns of equal length, one entry per item. */
export interface ItemMap {
  readonly group: string
  readonly modelVersion: number
  /** What places items: the model's embeddings, or factors of the memory while the model counts little. */
  readonly basis: MapBasis
  /** Items in the catalog. */
  readonly count: number
  readonly items: readonly string[]
  readonly x: readonly number[]
  readonly y: readonly number[]
  /** In this group. */
  readonly impressions: readonly number[]
  /** Before its weight. */
  readonly uncertainty: readonly number[]
  /** What the attribute says of each item, as text; null where it says nothing, or none was asked for. */
  readonly category: readonly (string | null)[] | null
  /** The share of the vectors' variance that each axis shows. */
  readonly variance: readonly [x: number, y: number]
  /** The user on the same axes; null where none was requested. */
  readonly user: { readonly x: number; readonly y: number } | null
}

type Dependencies = Pick<
  ServiceParts,
  'attributes' | 'catalog' | 'groupOf' | 'groups' | 'requireOpen' | 'split'
>

/** Refuses a group or a user that does not exist. */
export function createItemMap(
  dependencies: Dependencies,
): (request: ItemMapRequest) => Promise<ItemMap> {
  const { attributes, catalog, groups, requireOpen } = dependencies
  const preparing = new Map<string, Promise<void>>()

  /** Requests at the same time wait for the same vectors. */
  function prepare({ name, recommender }: ModelGroup): Promise<void> {
    const running = preparing.get(name) ?? runInSlices(recommender.prepareMap())
    preparing.set(name, running)
    return running.finally(() => preparing.delete(name))
  }

  return async ({ group: groupName, limit, attribute, user }) => {
    requireOpen()
    const group = groupName === undefined ? groups[0]! : groupNamed(groups, groupName)
    if (user !== undefined) requireUserOf(group, user, dependencies)
    await prepare(group)
    requireOpen()
    const mapped = group.recommender.mapItems(limit, user)
    const items = listOf(mapped.rows, (row) => catalog.names[row]!)
    const decimals = decimalsOf(mapped.x, mapped.y)
    return {
      group: group.name,
      modelVersion: group.version,
      basis: mapped.basis,
      count: catalog.names.length - catalog.removed.size,
      items,
      x: rounded(mapped.x, decimals),
      y: rounded(mapped.y, decimals),
      impressions: Array.from(mapped.impressions),
      uncertainty: rounded(mapped.uncertainty, decimalsOf(mapped.uncertainty)),
      category:
        attribute === undefined
          ? null
          : items.map((item) => textOf(attributes.of(item)[attribute])),
      variance: mapped.variance,
      user: mapped.user,
    }
  }
}

function requireUserOf(
  group: ModelGroup,
  user: string,
  { groupOf, split }: Pick<Dependencies, 'groupOf' | 'split'>,
): void {
  requireText(user, 'user')
  const { name } = groupOf(split.variantOf(user).name)
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
