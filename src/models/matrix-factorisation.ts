// Matrix factorisation: reward ≈ μ_kᵀθ with θ the ridge fit of the user's rewards so far. Only the
// items are learnt, so a new user or a new rating needs no training. Train it with squared error.

import { inner } from './layers/layer.ts'
import { ridgeFit } from './layers/ridge-fit.ts'
import { positiveNumber, requireOptions, wholeNumber } from './require-options.ts'
import type { Architecture } from './sequence-model.ts'

export interface MatrixFactorisationOptions {
  /** Width d of μ and θ; an event costs d². */
  readonly dimension?: number
  /** The most events of a history that the model looks at. */
  readonly window?: number
  /** λ of the fit: how strongly θ is held to 0. */
  readonly regularisation?: number
}

export function matrixFactorisation(options: MatrixFactorisationOptions = {}): Architecture {
  const { dimension = 32, window = 200, regularisation = 1 } = options
  const description = { model: 'matrix-factorisation', dimension, window, regularisation }
  requireOptions('matrix-factorisation', description, {
    dimension: wholeNumber(),
    window: wholeNumber(),
    regularisation: positiveNumber,
  })
  return {
    description,
    dimension,
    window,
    // The fit ignores the start vector; its position is where the first event is predicted from.
    withStart: true,
    build: (context) => ridgeFit(inner(context, 'user'), regularisation),
  }
}
