// The golden file, and conversions from PyTorch's layouts to those of the kernels.

import file from '../golden/pytorch-float64.json' with { type: 'json' }

export const goldens = file.cases

/** A tensor of the golden file. */
export interface Golden {
  readonly shape: readonly number[]
  readonly data: readonly number[]
}

/** The numbers of a tensor with its axes in a new order: axis i of the result is axes[i]. */
function permute({ shape, data }: Golden, axes: readonly [number, number, number]): number[] {
  const strides = [shape[1]! * shape[2]!, shape[2]!, 1]
  const [s0, s1, s2] = axes.map((axis) => strides[axis]!)
  const [n0, n1, n2] = axes.map((axis) => shape[axis]!)
  const result: number[] = []
  for (let i = 0; i < n0!; i++) {
    for (let j = 0; j < n1!; j++) {
      for (let k = 0; k < n2!; k++) result.push(data[i * s0! + j * s1! + k * s2!]!)
    }
  }
  return result
}

/** From (batch, time, channel) to rows t·batch + b. */
export const timeMajor = (golden: Golden): number[] => permute(golden, [1, 0, 2])
/** From (batch, channel, time) to rows t·batch + b. */
export const timeMajorOfChannels = (golden: Golden): number[] => permute(golden, [2, 0, 1])
/** From (out, in, tap) to stacked taps. */
export const tapMajor = (golden: Golden): number[] => permute(golden, [2, 0, 1])
/** From rows per sequence to one list in order of time. */
export const timeMajorList = (rows: readonly (readonly number[])[]): number[] =>
  rows[0]!.flatMap((_, t) => rows.map((row) => row[t]!))

/** The sum of all values. */
export const total = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0)
