// A copy of all weights, to come back to.

import type { SequenceModel } from '../sequence-model.ts'

export function keepWeights(model: SequenceModel): { restore(): void } {
  const copies = model.parameters.map(({ name, value }) => [name, value.values.slice()] as const)
  return {
    restore() {
      const kept = new Map(copies)
      for (const { name, value } of model.parameters) value.values.set(kept.get(name)!)
    },
  }
}
