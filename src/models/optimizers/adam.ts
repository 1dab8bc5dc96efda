// Adam (Kingma and Ba), dense as in PyTorch, and a lazy form for large catalogs.

import type { Engine } from '../../kernels/index.ts'
import type { Workspace } from '../../kernels/index.ts'
import { nonNegativeNumber, positiveNumber, requireOptions, share } from '../require-options.ts'
import { createStepper } from './optimizer.ts'
import type { Optimizer } from './optimizer.ts'

export interface AdamOptions {
  readonly rate?: number
  readonly beta1?: number
  readonly beta2?: number
  readonly epsilon?: number
  /** Adds weightDecay·p to the gradient, as PyTorch's Adam does. */
  readonly weightDecay?: number
}

/** Every row moves at every step: an item that was not looked at follows its old momentum. */
export function adam(engine: Engine, workspace: Workspace, options: AdamOptions = {}): Optimizer {
  return createAdam('adam', 'all', engine, workspace, options)
}

/**
 * Moments and values of an item's row change only in steps that touch it; the bias corrections
 * count all steps. Not Adam, but what Adam costs on a large catalog buys nothing.
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
