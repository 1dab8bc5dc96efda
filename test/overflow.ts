// An optimiser whose updates leave the range of the weights, though every gradient was finite.

import type { Optimiser } from '../src/models/optimisers/optimiser.ts'

export function overflowing(optimiser: Optimiser): Optimiser {
  return {
    ...optimiser,
    step(parameters, touched) {
      for (const { value } of [...parameters, ...touched.map(({ gathered }) => gathered)]) {
        value.values[value.values.length - 1] = Infinity
      }
      optimiser.step(parameters, touched)
    },
  }
}
