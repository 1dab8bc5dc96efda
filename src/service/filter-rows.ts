// The rows that a filter leaves, exactly; kept for the filters asked last until the catalog changes.

import { RenError } from '../core/errors.ts'
import type { CatalogView } from '../recommender/index.ts'
import { matchingRows } from './catalog-attributes.ts'
import type { CatalogAttributes } from './catalog-attributes.ts'
import { compileFilter } from './compile-filter.ts'
import type { Filter } from './filter.ts'

/** Rows in rising order, not to be written to. */
export type FilterRows = (filter: Filter) => Int32Array

const maxCached = 64

export function createFilterRows(attributes: CatalogAttributes, catalog: CatalogView): FilterRows {
  const cache = new Map<string, Int32Array>()
  let version = attributes.version

  const find = (filter: Filter): Int32Array =>
    Int32Array.from(matchingRows(catalog, attributes, compileFilter(filter)))

  return (filter) => {
    if (version !== attributes.version) {
      cache.clear()
      version = attributes.version
    }
    const text = textOf(filter)
    const rows = cache.get(text) ?? find(filter)
    // The last one asked is the last one to go.
    cache.delete(text)
    cache.set(text, rows)
    if (cache.size > maxCached) cache.delete(cache.keys().next().value!)
    return rows
  }
}

function textOf(filter: Filter): string {
  try {
    return JSON.stringify(filter) ?? 'undefined'
  } catch (cause) {
    throw new RenError('invalid-argument', 'filter must be plain JSON', { cause })
  }
}
