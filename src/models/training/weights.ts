// Ways back to the weights as they were.

import type { TouchedRows } from '../optimisers/optimiser.ts'
import type { SequenceModel } from '../sequence-model.ts'
import { openWayBack } from '../way-back.ts'
import type { Kept } from '../way-back.ts'
import type { ItemDeviations } from './item-deviations.ts'

/** A copy of all weights, of the items' deviations too where they are learned. */
export function keepWeights(model: SequenceModel, deviations?: ItemDeviations): Kept {
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
