// Softmax and its logarithms, for scores of any size.

export interface Softmax {
  /** p_i = e^v_i / Σ_j e^v_j; they sum to 1. */
  readonly shares: readonly number[]
  /** −ln p_i. */
  readonly surprise: (i: number) => number
}

/** The maximum is taken out first, so that no exponential overflows and the sum is at least 1. */
export function softmax(values: readonly number[]): Softmax {
  const maximum = values.reduce((most, value) => Math.max(most, value), -Infinity)
  const exponentials = values.map((value) => Math.exp(value - maximum))
  const sum = exponentials.reduce((total, value) => total + value, 0)
  return {
    shares: exponentials.map((value) => value / sum),
    surprise: (i) => maximum - values[i]! + Math.log(sum),
  }
}
