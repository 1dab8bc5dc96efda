// Stands where an optimizer would, leaves the weights alone and keeps the gradients of a step.

import type { Optimizer } from '../src/models/optimizers/optimizer.ts'

export interface GradientRecord extends Optimizer {
  /** By parameter; those of touched rows stand where the rows do in the whole table. */
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
