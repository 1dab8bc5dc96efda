// Adam (Kingma and Ba), in a dense form and a form that updates only touched rows, and Adagrad for
// touched rows.

import {
  nonNegativeNumber,
  positiveNumber,
  withDefaults,
  shareBelowOne,
} from '../../core/settings.ts'
import type { SettingsInput } from '../../core/settings.ts'
import type { Engine, Workspace } from '../../kernels/index.ts'
import { StatefulOptimizer } from './optimizer.ts'
import type { Optimizer } from './optimizer.ts'

const rate = (fallback: number) => positiveNumber('Size of a step', fallback)
const epsilon = (fallback: number) => positiveNumber('Guard against division by zero', fallback)
/** L2 regularization, as in PyTorch. */
const weightDecay = nonNegativeNumber('Share of each weight to add to its gradient', 0)

export const adamSettings = {
  rate: rate(1e-3),
  beta1: shareBelowOne('Decay of the mean of gradients', 0.9),
  beta2: shareBelowOne('Decay of the mean of squared gradients', 0.999),
  epsilon: epsilon(1e-8),
  weightDecay,
} as const

/**
 * Settings of {@link adam} and {@link lazyAdam}. `rate` defaults to 0.001, `beta1` to 0.9, `beta2`
 * to 0.999, `epsilon` to 1e-8 and `weightDecay` to 0.
 */
export type AdamOptions = SettingsInput<typeof adamSettings>

/** Creates Adam. Every step updates every item: an item without a gradient follows its momentum. */
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
  const { weightDecay: decay, ...settings } = withDefaults(name, adamSettings, options)
  const { adam: applyAdam, addScaled } = engine.trusted
  let rateShare = 1
  return new StatefulOptimizer(engine, workspace.within(name), {
    name,
    rows,
    scaleRate: (share) => void (rateShare = share),
    stateNames: ['first moment', 'second moment'],
    createUpdate(step) {
      const constants = {
        ...settings,
        rate: rateShare * settings.rate,
        correction1: 1 - settings.beta1 ** step,
        correction2: 1 - settings.beta2 ** step,
      }
      return ({ value, gradient }, [firstMoment, secondMoment]) => {
        if (decay > 0) addScaled({ scale: decay, x: value, out: gradient })
        const moments = { firstMoment: firstMoment!, secondMoment: secondMoment! }
        applyAdam({ ...constants, gradient, ...moments, parameters: value })
      }
    },
  })
}

export const adagradSettings = {
  rate: rate(0.05),
  epsilon: epsilon(1e-6),
  momentum: shareBelowOne('Share of the last step to add to the next', 0),
} as const

/** Settings of {@link adagrad}. `rate` defaults to 0.05, `epsilon` to 1e-6 and `momentum` to 0. */
export type AdagradOptions = SettingsInput<typeof adagradSettings>

/**
 * Creates Adagrad with heavy-ball momentum, as GRU4Rec uses it: s += g²; v = momentum·v −
 * rate·g/√(s + ε); p += v. ε is inside the root. Rows that a step does not touch stay unchanged.
 */
export function adagrad(
  engine: Engine,
  workspace: Workspace,
  options: AdagradOptions = {},
): Optimizer {
  const settings = withDefaults('adagrad', adagradSettings, options)
  return new StatefulOptimizer(engine, workspace.within('adagrad'), {
    name: 'adagrad',
    rows: 'touched',
    stateNames: ['accumulator', 'velocity'],
    createUpdate:
      () =>
      ({ value, gradient }, [accumulator, velocity]) => {
        const states = { accumulator: accumulator!, velocity: velocity! }
        engine.trusted.adagrad({ ...settings, gradient, ...states, parameters: value })
      },
  })
}
