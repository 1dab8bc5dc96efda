// The items that a request names, as rows.

import { describeValue } from '../core/describe-value.ts'
import { RenError } from '../core/errors.ts'
import type { ItemIndex } from '../core/types.ts'
import type { CatalogView } from './catalog.ts'
import type { RecommendRequest } from './requests.ts'

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
