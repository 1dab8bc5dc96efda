// Saves weights before training changes them, and restores them.

import type { TouchedRows } from '../optimizers/optimizer.ts'
import type { SequenceModel } from '../sequence-model.ts'
import { openCheckpoint } from '../parameter.ts'
import type { Restorable } from '../parameter.ts'
import type { ItemDeviations } from './item-deviations.ts'

/** Values of parameters by name. */
export type NamedValues = ReadonlyMap<string, Float32Array>

/** A copy of weights, to restore or to write to a file. */
export interface CapturedWeights extends Restorable {
  readonly values: NamedValues
}

const parametersOf = (model: SequenceModel, deviations?: ItemDeviations) =>
  deviations ? [...model.parameters, deviations.table.parameter] : model.parameters

/** Copies all weights, including the item deviations if they are learned. */
export function captureWeights(model: SequenceModel, deviations?: ItemDeviations): CapturedWeights {
  const values = new Map(
    parametersOf(model, deviations).map(({ name, value }) => [name, value.values.slice()]),
  )
  return { values, restore: () => setWeights(model, values, deviations) }
}

/** Writes weights into a model whose parameters have the same names and sizes. */
export function setWeights(
  model: SequenceModel,
  values: NamedValues,
  deviations?: ItemDeviations,
): void {
  for (const { name, value } of parametersOf(model, deviations)) {
    value.values.set(values.get(name)!)
  }
  model.markChanged()
}

/** A copy of the network, and of the item rows that steps touch, taken before they change. */
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
