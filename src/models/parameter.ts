// A trainable tensor with its gradient, and the ways to start one.

import type { Random } from '../core/random.ts'
import type { Allocator, Tensor } from '../kernels/index.ts'

export interface Parameter {
  /** Unique within its model; also its name in a file. */
  readonly name: string
  readonly value: Tensor
  readonly gradient: Tensor
}

/** Draws one starting value. */
export type Start = () => number

export const zeros: Start = () => 0
export const ones: Start = () => 1
export const normal =
  (random: Random, deviation: number): Start =>
  () =>
    deviation * random.normal()
export const uniform =
  (random: Random, bound: number): Start =>
  () =>
    bound * (2 * random.uniform() - 1)
/** Glorot and Bengio's bound for a matrix of this shape: √(6/(inputs + outputs)). */
export const glorot = (random: Random, inputs: number, outputs: number): Start =>
  uniform(random, Math.sqrt(6 / (inputs + outputs)))

export function createParameter(
  allocator: Allocator,
  name: string,
  [rows, columns]: readonly [number, number],
  start: Start,
): Parameter {
  const value = allocator.matrix(name, rows, columns)
  for (let i = 0; i < rows * columns; i++) value.values[i] = start()
  return { name, value, gradient: allocator.matrix(`gradient of ${name}`, rows, columns) }
}
