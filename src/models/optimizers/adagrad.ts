// Adagrad in two forms: `adagrad` as GRU4Rec's recipe has it, `denseAdagrad` as PyTorch has it.

import type { Engine } from '../../kernels/index.ts'
import type { Workspace } from '../../kernels/index.ts'
import { nonNegativeNumber, positiveNumber, requireOptions, share } from '../require-options.ts'
import { createStepper } from './optimizer.ts'
import type { Optimizer } from './optimizer.ts'

export interface AdagradOptions {
  readonly rate?: number
  readonly epsilon?: number
  readonly momentum?: number
}

/**
 * With heavy-ball momentum, as GRU4Rec uses it: s += g²; v = momentum·v − rate·g/√(s + ε); p += v.
 * ε stands inside the root, and rows that a step does not touch stay where they are.
 */
export function adagrad(
  engine: Engine,
  workspace: Workspace,
  options: AdagradOptions = {},
): Optimizer {
  const { rate = 0.05, epsilon = 1e-6, momentum = 0 } = options
  requireOptions(
    'adagrad',
    { rate, epsilon, momentum },
    { rate: positiveNumber, epsilon: positiveNumber, momentum: share },
  )
  const stepper = createStepper(engine, workspace.within('adagrad'), ['accumulator', 'velocity'])
  return {
    name: 'adagrad',
    rows: 'touched',
    checkpoint: stepper.checkpoint,
    reset: stepper.reset,
    save: () => ({ steps: 0, tensors: stepper.save() }),
    load: ({ tensors }) => stepper.load(tensors),
    step(parameters, touched) {
      stepper.step(parameters, touched, ({ value, gradient }, [accumulator, velocity]) => {
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

export interface DenseAdagradOptions {
  readonly rate?: number
  readonly epsilon?: number
  /** Adds weightDecay·p to the gradient, as PyTorch's Adagrad does. */
  readonly weightDecay?: number
}

/** As in PyTorch: s += g²; p −= rate·g/(√s + ε), with every row in every step. */
export function denseAdagrad(
  engine: Engine,
  workspace: Workspace,
  options: DenseAdagradOptions = {},
): Optimizer {
  const { rate = 0.01, epsilon = 1e-10, weightDecay = 0 } = options
  requireOptions(
    'dense-adagrad',
    { rate, epsilon, weightDecay },
    { rate: positiveNumber, epsilon: positiveNumber, weightDecay: nonNegativeNumber },
  )
  const own = workspace.within('dense adagrad')
  const stepper = createStepper(engine, own, ['accumulator'])
  const { adam, addScaled, multiplyElements } = engine.trusted
  // Adam without memory of the gradient, whose second moment (s + g²)/2 is corrected by ½.
  const asAdam = { rate, epsilon, beta1: 0, correction1: 1, beta2: 0.5, correction2: 0.5 }
  return {
    name: 'dense-adagrad',
    rows: 'all',
    checkpoint: stepper.checkpoint,
    reset: stepper.reset,
    save: () => ({ steps: 0, tensors: stepper.save() }),
    load: ({ tensors }) => stepper.load(tensors),
    step(parameters, touched) {
      stepper.step(parameters, touched, ({ value, gradient }, [accumulator]) => {
        if (weightDecay > 0) addScaled({ scale: weightDecay, x: value, out: gradient })
        const firstMoment = own.matrix('first moment', value.rows, value.columns)
        const secondMoment = own.matrix('second moment', value.rows, value.columns)
        firstMoment.values.fill(0)
        secondMoment.values.set(accumulator!.values)
        adam({ ...asAdam, gradient, firstMoment, secondMoment, parameters: value })
        const squares = secondMoment // free again
        multiplyElements({ x: gradient, y: gradient, out: squares })
        addScaled({ scale: 1, x: squares, out: accumulator! })
      })
    },
  }
}
