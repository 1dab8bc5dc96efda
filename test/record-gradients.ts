// An optimizer that does not change the weights, and records the gradients of a step.

import type { Optimizer } from '../src/models/optimizers/optimizer.ts'

export interface GradientRecord extends Optimizer {
  /** By parameter. Gradients of touched rows are at the places of these rows in the whole table. */
  readonly gradients: Readonly<Record<string, readonly number[]>>
}

export function recordGradients(rows: Optimizer['rows']): GradientRecord {
  const gradients: Record<string, readonly number[]> = {}
  return {
    name: 'record',
    rows,
    gradients,
    step(parameters, touched) {
      for (const { name, gradient } of parameters) gradients[name] = [...gradient.values]
      for (const { parameter, rows: indices, gathered } of touched) {
        const { columns, values } = gathered.gradient
        const whole = new Float32Array(parameter.value.values.length)
        for (const [i, row] of indices.entries()) {
          whole.set(values.subarray(i * columns, (i + 1) * columns), row * columns)
        }
        gradients[parameter.name] = [...whole]
      }
    },
  }
}
