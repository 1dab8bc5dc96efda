// Adagrad with heavy-ball momentum, as GRU4Rec uses it: the accumulator starts at zero, ε stands
// inside the root, and rows that a step does not touch stay where they are.

import type { Engine } from '../../kernels/index.ts'
import type { Workspace } from '../../kernels/index.ts'
import { createStepper } from './optimiser.ts'
import type { Optimiser } from './optimiser.ts'

export interface AdagradOptions {
  readonly rate?: number
  readonly epsilon?: number
  readonly momentum?: number
}

export function adagrad(
  engine: Engine,
  workspace: Workspace,
  options: AdagradOptions = {},
): Optimiser {
  const { rate = 0.05, epsilon = 1e-6, momentum = 0 } = options
  const stepper = createStepper(engine, workspace.within('adagrad'), ['accumulator', 'velocity'])
  return {
    name: 'adagrad',
    rows: 'touched',
    step(parameters, touched) {
      stepper(parameters, touched, ({ value, gradient }, [accumulator, velocity]) => {
        engine.trusted.adagrad({
          rate,
          epsilon,
          momentum,
          gradient,
          accumulator: accumulator!,
          velocity: velocity!,
          parameters: value,
        })
      })
    },
  }
}
