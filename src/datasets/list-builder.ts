// Gathers lists of indices one value at a time.

import type { IndexLists } from '../core/impression-log.ts'
import { growingColumn } from './growing-column.ts'

/** Lists in the making. */
export interface ListBuilder {
  /** How many values the list that is not yet ended has. */
  readonly pending: number
  push(value: number): void
  /** Ends the list; what is pushed next belongs to another. */
  end(): void
  /** Forgets the list that is not yet ended. */
  discard(): void
  /** The lists that were ended. */
  build(): IndexLists
}

/** A builder with no lists. */
export function createListBuilder(): ListBuilder {
  const offsets = growingColumn(Int32Array)
  const values = growingColumn(Int32Array)
  let ended = 0
  offsets.push(0)
  return {
    get pending() {
      return values.length - ended
    },
    push: values.push,
    end() {
      ended = values.length
      offsets.push(ended)
    },
    discard: () => values.truncate(ended),
    build: () => ({ offsets: offsets.values(), values: values.values().subarray(0, ended) }),
  }
}
