// Ways back to the weights as they were.

import type { TouchedRows } from '../optimisers/optimiser.ts'
import type { SequenceModel } from '../sequence-model.ts'
import { openWayBack } from '../way-back.ts'
import type { Kept } from '../way-back.ts'
import type { ItemDeviations } from './item-deviations.ts'

/** Values of parameters by name. */
export type NamedValues = ReadonlyMap<string, Float32Array>

/** Weights as they were, to be restored or written to a file. */
export interface KeptWeights extends Kept {
  readonly values: NamedValues
}

/** A copy of all weights, of the items' deviations too where they are learned. */
export function keepWeights(model: SequenceModel, deviations?: ItemDeviations): KeptWeights {
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
export interface Journal extends Kept {
  note(touched: readonly TouchedRows[]): void
}

export function openJournal(model: SequenceModel): Journal {
  const wayBack = openWayBack()
  for (const { value } of model.network.parameters) wayBack.note(value)
  return {
    note(touched) {
      for (const { parameter, rows, gathered } of touched) {
        wayBack.noteRows(parameter.value, rows, gathered.value)
      }
    },
    restore() {
      wayBack.restore()
      model.markChanged()
    },
  }
}
