// Three steps of each optimizer on the fixed quadratic ‖Qp‖².

import { expectClose } from '../kernel-workspace.ts'
import type { Workspace } from '../kernel-workspace.ts'
import { goldens } from './goldens.ts'
import type { Golden } from './goldens.ts'

interface Descent {
  readonly p0: Golden
  readonly Q: Golden
  readonly steps: readonly Golden[]
}

function checkDescent(
  w: Workspace,
  { p0, Q, steps }: Descent,
  takeStep: (t: number, size: number, gradient: number, parameters: number) => void,
): void {
  const n = p0.data.length
  const parameters = w.floats(p0.data)
  const q = w.floats(Q.data)
  for (const [i, expected] of steps.entries()) {
    const [product, half, gradient] = [w.output(n), w.output(n), w.zeros(n)]
    w.kernels.multiply(0, 0, 0, n, 1, n, q, parameters, product)
    w.kernels.multiply(1, 0, 0, n, 1, n, q, product, half)
    w.kernels.addScaled(1, n, 2, half, gradient)
    takeStep(i + 1, n, gradient, parameters)
    expectClose(w.read(parameters, n), expected.data)
  }
}

export function checkAdam(w: Workspace): void {
  const golden = goldens.adam
  const [rate, beta1, beta2, epsilon] = [0.01, 0.9, 0.999, 1e-8]
  const firstMoment = w.zeros(golden.p0.data.length)
  const secondMoment = w.zeros(golden.p0.data.length)
  checkDescent(w, golden, (t, size, gradient, parameters) => {
    w.kernels.adam(
      1,
      size,
      rate,
      beta1,
      beta2,
      epsilon,
      1 - beta1 ** t,
      1 - beta2 ** t,
      gradient,
      firstMoment,
      secondMoment,
      parameters,
    )
  })
}

export function checkAdagrad(w: Workspace): void {
  const golden = goldens['adagrad_eps_1e-6_inside_root']
  const accumulator = w.zeros(golden.p0.data.length)
  const velocity = w.zeros(golden.p0.data.length)
  checkDescent(w, golden, (_, size, gradient, parameters) => {
    w.kernels.adagrad(1, size, 0.05, 1e-6, 0, gradient, accumulator, velocity, parameters)
  })
}
