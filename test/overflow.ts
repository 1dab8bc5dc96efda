// An optimizer whose updates overflow the weights although every gradient is finite.

import type { Optimizer } from '../src/models/optimizers/optimizer.ts'

export function overflowing(optimizer: Optimizer): Optimizer {
  return {
    ...optimizer,
    step(parameters, touched) {
      for (const { value } of [...parameters, ...touched.map(({ gathered }) => gathered)]) {
        value.values[value.values.length - 1] = Infinity
      }
      optimizer.step(parameters, touched)
    },
  }
}
