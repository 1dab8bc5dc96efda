// The attributes of the items that can be recommended, in memory: what filters look at.

import type { Attributes, LogEvent } from '../storage/index.ts'

export interface CatalogueAttributes {
  /** By name; those of items without any are empty. */
  readonly items: ReadonlyMap<string, Attributes>
  /** Another number whenever something has changed. */
  readonly version: number
  /** Takes in an event of the log. */
  apply(event: LogEvent): void
}

/** Goes on from what a store has at the head; events that led there may follow all the same. */
export function createCatalogueAttributes(items: Map<string, Attributes>): CatalogueAttributes {
  let version = 0
  return {
    items,
    get version() {
      return version
    },
    apply(event) {
      if (event.kind === 'items-put') {
        for (const { item, attributes = {} } of event.items) items.set(item, attributes)
      } else if (event.kind === 'items-removed') {
        for (const item of event.items) items.delete(item)
      } else return
      version += 1
    },
  }
}
