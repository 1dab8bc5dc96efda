// What can be asked of a recommender, and what is refused before anything is looked at.

import { describeValue } from '../core/describe-value.ts'
import { RenError } from '../core/errors.ts'
import type { ItemIndex } from '../core/types.ts'
import type { ExplorationPolicy, RenOptions } from '../exploration/index.ts'
import { requireCount, requirePositiveInteger } from '../exploration/requirements.ts'
import type { CatalogView } from './catalog.ts'
import { invalid, requireList, requireName, requireNumber, requireObject } from './requirements.ts'

/** An item for a certain slot, counted from 1, whatever its score. */
export interface Pin {
  readonly item: string
  readonly slot: number
}

/** A request for a slate: the user, the number of items, and optional restrictions. */
export interface RecommendRequest {
  /** An unknown user has an empty history. */
  readonly user: string
  readonly count: number
  /** In place of the recommender's own for this one request; made for the same engine. */
  readonly policy?: ExplorationPolicy
  /** Names to pick from. Defaults to the whole catalog. Removed items are skipped. */
  readonly candidates?: readonly string[]
  /** The same as rows of the catalog; with both, what is in both. Read, and not kept. */
  readonly among?: Int32Array
  readonly exclude?: readonly string[]
  /**
   * Whether to leave out the items that the user ever interacted with (true, or `taken`), or also
   * those whose impressions counted (`shown`). Exact, however little of the past is retained.
   */
  readonly excludeSeen?: boolean | 'taken' | 'shown'
  /**
   * Added to the scores of these items, exactly, where slates are in order of score: REN's `top`
   * slates, greedy, popularity, LinUCB, NeuralUCB, BaseREN; else it is refused. Items that are
   * removed, excluded, pinned or no candidates are passed over.
   */
  readonly boost?: Readonly<Record<string, number>>
  /**
   * These stand in their slots and the policy fills the others. They need not be candidates; one
   * that is removed or excluded is passed over, and the policy fills its slot too.
   */
  readonly pin?: readonly Pin[]
  /** Other settings for this one request, where the policy is REN. */
  readonly exploration?: Partial<RenOptions>
  /**
   * Random draws depend only on the seed, the user and this number. Defaults to the number of slates
   * that the user was shown: a repeated request has one answer, and a shown slate is followed by another.
   */
  readonly requestNumber?: number
}

const explorationKeys = [
  'weights',
  'slate',
  'historyCap',
  'exploratorySlots',
  'exploratoryShare',
  'newItemWeight',
] as const satisfies readonly (keyof RenOptions)[]

const seenKinds = new Set<unknown>([undefined, true, false, 'taken', 'shown'])

/** Refuses a request that breaks its form; whether its items are known shows as they are read. */
export function requireRequest(request: RecommendRequest): void {
  requireObject('request', request)
  const { user, count, policy, candidates, among, exclude, excludeSeen } = request
  const { boost, pin, exploration, requestNumber } = request
  requireName('user', user)
  requirePositiveInteger('count', count)
  if (policy !== undefined) requireObject('policy', policy)
  if (candidates !== undefined) requireList('candidates', candidates)
  if (among !== undefined && !(among instanceof Int32Array)) {
    throw invalid(`among must be an Int32Array of rows, got ${describeValue(among)}`)
  }
  if (exclude !== undefined) requireList('exclude', exclude)
  if (!seenKinds.has(excludeSeen)) {
    throw invalid(
      `excludeSeen must be true, false, taken or shown, got ${describeValue(excludeSeen)}`,
    )
  }
  if (boost !== undefined) requireBoost(boost)
  if (pin !== undefined) requirePins(pin, count)
  if (exploration !== undefined) requireExploration(exploration)
  if (requestNumber !== undefined) requireCount('requestNumber', requestNumber)
}

function requireBoost(boost: Readonly<Record<string, number>>): void {
  requireObject('boost', boost)
  for (const [name, value] of Object.entries(boost)) {
    requireNumber(`boost of ${JSON.stringify(name)}`, value)
  }
}

function requirePins(pins: readonly Pin[], count: number): void {
  requireList('pin', pins)
  const taken = { item: new Set<unknown>(), slot: new Set<unknown>() }
  for (const [i, pin] of pins.entries()) {
    requireObject(`pin[${i}]`, pin)
    requireName(`pin[${i}].item`, pin.item)
    if (!Number.isInteger(pin.slot) || pin.slot < 1 || pin.slot > count) {
      throw invalid(`pin[${i}].slot must be from 1 to ${count}, got ${describeValue(pin.slot)}`)
    }
    for (const key of ['item', 'slot'] as const) {
      if (taken[key].has(pin[key])) {
        throw invalid(`pin[${i}]: ${key} ${describeValue(pin[key])} is pinned already`)
      }
      taken[key].add(pin[key])
    }
  }
}

/** Names what it does not know: a weight that stands beside `weights` would change nothing. */
function requireExploration(exploration: Partial<RenOptions>): void {
  requireObject('exploration', exploration)
  const known: readonly string[] = explorationKeys
  const unknown = Object.keys(exploration).filter((key) => !known.includes(key))
  if (unknown.length > 0) {
    throw invalid(
      `exploration: expected ${known.join(', ')}, got ${unknown.join(', ')}; ` +
        'explorationWeight, or diversityWeight and uncertaintyWeight, go into weights',
    )
  }
  if ('weights' in exploration) requireObject('exploration.weights', exploration.weights)
}

// The items that a request names, as rows.

export interface PinnedRow {
  readonly row: ItemIndex
  readonly slot: number
}

export interface AskedItems {
  /** Null where the whole catalog is asked for. */
  readonly candidates: Int32Array | null
  readonly excluded: readonly ItemIndex[]
  /** Undefined where nothing is raised or lowered. */
  readonly boosts: ReadonlyMap<ItemIndex, number> | undefined
  readonly pins: readonly PinnedRow[]
}

/** Removed items are among them; names that no item ever had are refused, all at once. */
export function readAskedItems(request: RecommendRequest, catalog: CatalogView): AskedItems {
  const { candidates, exclude = [], boost = {}, pin = [] } = request
  const unknown = new Set<unknown>()
  const rowOf = (name: string): ItemIndex => {
    const row = catalog.find(name)
    if (row === undefined) unknown.add(name)
    return row ?? -1
  }
  const boosts = Object.entries(boost).filter(([, value]) => value !== 0)
  const asked = {
    candidates: candidates ? Int32Array.from(candidates, rowOf) : null,
    excluded: exclude.map(rowOf),
    boosts: boosts.length > 0 ? new Map(boosts.map(([name, by]) => [rowOf(name), by])) : undefined,
    pins: pin.map(({ item, slot }) => ({ row: rowOf(item), slot })),
  }
  if (unknown.size > 0) throw unknownItems([...unknown])
  return asked
}

const maxNamed = 10

function unknownItems(names: readonly unknown[]): RenError {
  const named = names.slice(0, maxNamed).map(describeValue).join(', ')
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ''
  return new RenError(
    'unknown-item',
    names.length === 1 ? `no item is called ${named}` : `no items are called ${named}${more}`,
  )
}
