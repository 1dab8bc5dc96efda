// Ways back to the weights as they were.

import type { TouchedRows } from '../optimisers/optimiser.ts'
import type { SequenceModel } from '../sequence-model.ts'

export interface KeptWeights {
  restore(): void
}

/** A copy of all weights. */
export function keepWeights(model: SequenceModel): KeptWeights {
  const copies = new Map(model.parameters.map(({ name, value }) => [name, value.values.slice()]))
  return {
    restore() {
      for (const { name, value } of model.parameters) value.values.set(copies.get(name)!)
      model.markChanged()
    },
  }
}

/** A copy of the network, and of item rows only as steps are about to touch them. */
export interface Journal extends KeptWeights {
  note(touched: readonly TouchedRows[]): void
}

export function openJournal(model: SequenceModel): Journal {
  const network = model.network.parameters.map(
    ({ value }) => [value, value.values.slice()] as const,
  )
  const rows = new Map<string, Map<number, Float32Array>>()
  return {
    note(touched) {
      for (const { parameter, rows: indices, gathered } of touched) {
        const seen = rows.get(parameter.name) ?? new Map<number, Float32Array>()
        rows.set(parameter.name, seen)
        const { columns, values } = gathered.value
        for (const [i, row] of indices.entries()) {
          if (!seen.has(row)) seen.set(row, values.slice(i * columns, (i + 1) * columns))
        }
      }
    },
    restore() {
      for (const [value, copy] of network) value.values.set(copy)
      for (const { name, value } of model.parameters) {
        for (const [row, copy] of rows.get(name) ?? []) value.values.set(copy, row * value.columns)
      }
      model.markChanged()
    },
  }
}
