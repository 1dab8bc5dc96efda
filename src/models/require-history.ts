// What a history must be before a model reads it.

import { RenError } from '../core/errors.ts'
import { requireKnownItems } from './batch.ts'
import type { History } from './batch.ts'

/** As many rewards and times as items, all finite, and only items of the catalog. */
export function requireHistory(history: History, itemCount: number): void {
  const { items } = history
  for (const name of ['rewards', 'times'] as const) {
    const values = history[name]
    if (values.length !== items.length) {
      throw new RenError(
        'shape-mismatch',
        `history: expected ${items.length} ${name}, one an event, got ${values.length}`,
      )
    }
    requireFinite(name, values)
  }
  if (history.context) requireFinite('context', history.context)
  requireKnownItems(items, itemCount)
}

function requireFinite(name: string, values: Float32Array | Float64Array): void {
  for (let at = 0; at < values.length; at++) {
    if (Number.isFinite(values[at])) continue
    throw new RenError(
      'non-finite-input',
      `history: ${name}[${at}] is ${values[at]}, expected a finite number`,
    )
  }
}
