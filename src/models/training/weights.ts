// Ways back to the weights as they were.

import type { TouchedRows } from '../optimizers/optimizer.ts'
import type { SequenceModel } from '../sequence-model.ts'
import { openCheckpoint } from '../parameter.ts'
import type { Restorable } from '../parameter.ts'
import type { ItemDeviations } from './item-deviations.ts'

/** Values of parameters by name. */
export type NamedValues = ReadonlyMap<string, Float32Array>

/** Weights as they were, to be restored or written to a file. */
export interface CapturedWeights extends Restorable {
  readonly values: NamedValues
}

/** A copy of all weights, of the items' deviations too where they are learned. */
export function captureWeights(model: SequenceModel, deviations?: ItemDeviations): CapturedWeights {
  const parameters = () => [
    ...model.parameters,
    ...(deviations ? [deviations.table.parameter] : []),
  ]
  const values = new Map(parameters().map(({ name, value }) => [name, value.values.slice()]))
  return {
    values,
    restore: () => setWeights(model, values, deviations),
  }
}

/** Writes weights into a model that has parameters of these names and sizes. */
export function setWeights(
  model: SequenceModel,
  values: NamedValues,
  deviations?: ItemDeviations,
): void {
  const parameters = [...model.parameters, ...(deviations ? [deviations.table.parameter] : [])]
  for (const { name, value } of parameters) value.values.set(values.get(name)!)
  model.markChanged()
}

/** A copy of the network, and of item rows only as steps are about to touch them. */
export interface Journal extends Restorable {
  note(touched: readonly TouchedRows[]): void
}

export function openJournal(model: SequenceModel): Journal {
  const checkpoint = openCheckpoint()
  for (const { value } of model.network.parameters) checkpoint.note(value)
  return {
    note(touched) {
      for (const { parameter, rows, gathered } of touched) {
        checkpoint.noteRows(parameter.value, rows, gathered.value)
      }
    },
    restore() {
      checkpoint.restore()
      model.markChanged()
    },
  }
}
