// One step of each optimizer, in place.

import type { KernelTheme } from './views.ts'

export const optimizer: KernelTheme<'adam' | 'adagrad'> = ({ f32 }) => ({
  adam(
    rows,
    columns,
    rate,
    beta1,
    beta2,
    epsilon,
    correction1,
    correction2,
    gradientAddress,
    firstMomentAddress,
    secondMomentAddress,
    parametersAddress,
  ) {
    const gradient = f32(gradientAddress, rows * columns)
    const firstMoment = f32(firstMomentAddress, rows * columns)
    const secondMoment = f32(secondMomentAddress, rows * columns)
    const parameters = f32(parametersAddress, rows * columns)
    for (let i = 0; i < parameters.length; i++) {
      const g = gradient[i]!
      const m = beta1 * firstMoment[i]! + (1 - beta1) * g
      const v = beta2 * secondMoment[i]! + (1 - beta2) * g * g
      firstMoment[i] = m
      secondMoment[i] = v
      parameters[i]! -= (rate * (m / correction1)) / (Math.sqrt(v / correction2) + epsilon)
    }
  },

  adagrad(
    rows,
    columns,
    rate,
    epsilon,
    momentum,
    gradientAddress,
    accumulatorAddress,
    velocityAddress,
    parametersAddress,
  ) {
    const gradient = f32(gradientAddress, rows * columns)
    const accumulator = f32(accumulatorAddress, rows * columns)
    const velocity = f32(velocityAddress, rows * columns)
    const parameters = f32(parametersAddress, rows * columns)
    for (let i = 0; i < parameters.length; i++) {
      const g = gradient[i]!
      const s = accumulator[i]! + g * g
      const v = momentum * velocity[i]! - (rate * g) / Math.sqrt(s + epsilon)
      accumulator[i] = s
      velocity[i] = v
      parameters[i]! += v
    }
  },
})
