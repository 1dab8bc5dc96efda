// Ways back to the weights as they were.

import type { TouchedRows } from '../optimisers/optimiser.ts'
import type { Parameter } from '../parameter.ts'
import type { SequenceModel } from '../sequence-model.ts'
import type { ItemDeviations } from './item-deviations.ts'

export interface KeptWeights {
  restore(): void
}

/** A copy of all weights, of the items' deviations too where they are learned. */
export function keepWeights(model: SequenceModel, deviations?: ItemDeviations): KeptWeights {
  const parameters = () => [
    ...model.parameters,
    ...(deviations ? [deviations.table.parameter] : []),
  ]
  const copies = new Map(parameters().map(({ name, value }) => [name, value.values.slice()]))
  return {
    restore() {
      for (const { name, value } of parameters()) value.values.set(copies.get(name)!)
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
  const tables = new Map<string, { parameter: Parameter; rows: Map<number, Float32Array> }>()
  return {
    note(touched) {
      for (const { parameter, rows: indices, gathered } of touched) {
        const { rows } = tables.get(parameter.name) ?? { rows: new Map<number, Float32Array>() }
        tables.set(parameter.name, { parameter, rows })
        const { columns, values } = gathered.value
        for (const [i, row] of indices.entries()) {
          if (!rows.has(row)) rows.set(row, values.slice(i * columns, (i + 1) * columns))
        }
      }
    },
    restore() {
      for (const [value, copy] of network) value.values.set(copy)
      for (const { parameter, rows } of tables.values()) {
        const { columns, values } = parameter.value
        for (const [row, copy] of rows) values.set(copy, row * columns)
      }
      model.markChanged()
    },
  }
}
