// Adam (Kingma and Ba), dense as in PyTorch, and a lazy form for large catalogs.

import type { Engine, Workspace } from '../../kernels/index.ts'
import { nonNegativeNumber, positiveNumber, requireOptions, share } from '../require-options.ts'
import { createStepper } from './optimizer.ts'
import type { Optimizer } from './optimizer.ts'

/**
 * Settings of {@link adam} and {@link lazyAdam}. `rate` defaults to 0.001, `beta1` to 0.9, `beta2`
 * to 0.999, `epsilon` to 1e-8 and `weightDecay` to 0.
 */
export interface AdamOptions {
  readonly rate?: number
  readonly beta1?: number
  readonly beta2?: number
  readonly epsilon?: number
  /** Adds weightDecay·p to the gradient, as PyTorch's Adam does. */
  readonly weightDecay?: number
}

/** Creates Adam. Every item moves in every step: an item without gradient follows its momentum. */
export function adam(engine: Engine, workspace: Workspace, options: AdamOptions = {}): Optimizer {
  return createAdam('adam', 'all', engine, workspace, options)
}

/**
 * Creates Adam for large catalogs: an item's moments and values change only in steps that touch the
 * item. The bias corrections count all steps.
 */
export function lazyAdam(
  engine: Engine,
  workspace: Workspace,
  options: AdamOptions = {},
): Optimizer {
  return createAdam('lazy-adam', 'touched', engine, workspace, options)
}

function createAdam(
  name: string,
  rows: Optimizer['rows'],
  engine: Engine,
  workspace: Workspace,
  options: AdamOptions,
): Optimizer {
  const { rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0 } = options
  requireOptions(
    name,
    { rate, beta1, beta2, epsilon, weightDecay },
    {
      rate: positiveNumber,
      beta1: share,
      beta2: share,
      epsilon: positiveNumber,
      weightDecay: nonNegativeNumber,
    },
  )
  const stepper = createStepper(engine, workspace.within(name), ['first moment', 'second moment'])
  let time = 0
  let rateShare = 1
  return {
    name,
    rows,
    step(parameters, touched) {
      time += 1
      const correction1 = 1 - beta1 ** time
      const correction2 = 1 - beta2 ** time
      const constants = { rate: rateShare * rate, beta1, beta2, epsilon, correction1, correction2 }
      stepper.step(parameters, touched, ({ value, gradient }, [firstMoment, secondMoment]) => {
        if (weightDecay > 0) {
          engine.trusted.addScaled({ scale: weightDecay, x: value, out: gradient })
        }
        engine.trusted.adam({
          ...constants,
          gradient,
          firstMoment: firstMoment!,
          secondMoment: secondMoment!,
          parameters: value,
        })
      })
    },
    scaleRate(next) {
      rateShare = next
    },
    checkpoint() {
      const [saved, then] = [stepper.checkpoint(), time]
      return {
        ...saved,
        restore() {
          saved.restore()
          time = then
        },
      }
    },
    reset() {
      stepper.reset()
      time = 0
    },
    save: () => ({ steps: time, tensors: stepper.save() }),
    load({ steps, tensors }) {
      stepper.load(tensors)
      time = steps
    },
  }
}

// Adagrad in two forms: `adagrad` as GRU4Rec's recipe has it, `denseAdagrad` as PyTorch has it.

/** Settings of {@link adagrad}. `rate` defaults to 0.05, `epsilon` to 1e-6 and `momentum` to 0. */
export interface AdagradOptions {
  readonly rate?: number
  readonly epsilon?: number
  readonly momentum?: number
}

/**
 * Creates Adagrad with heavy-ball momentum, as GRU4Rec uses it: s += g²; v = momentum·v −
 * rate·g/√(s + ε); p += v. ε is inside the root. Rows that a step does not touch stay unchanged.
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

/**
 * Settings of {@link denseAdagrad}. `rate` defaults to 0.01, `epsilon` to 1e-10 and `weightDecay`
 * to 0.
 */
export interface DenseAdagradOptions {
  readonly rate?: number
  readonly epsilon?: number
  /** Adds weightDecay·p to the gradient, as PyTorch's Adagrad does. */
  readonly weightDecay?: number
}

/** Creates Adagrad as in PyTorch: s += g²; p −= rate·g/(√s + ε), over every row in every step. */
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
  const { adam: adamStep, addScaled, multiplyElements } = engine.trusted
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
        adamStep({ ...asAdam, gradient, firstMoment, secondMoment, parameters: value })
        const squares = secondMoment // free again
        multiplyElements({ x: gradient, y: gradient, out: squares })
        addScaled({ scale: 1, x: squares, out: accumulator! })
      })
    },
  }
}
