// The normaliser of a softmax: p_i = exp(v_i − logSumExp(v)), and −ln p_i = logSumExp(v) − v_i.

/** ln Σ exp(v_i), with the maximum taken out so that no exponential overflows. */
export function logSumExp(values: readonly number[]): number {
  let maximum = -Infinity
  for (const value of values) maximum = Math.max(maximum, value)
  let sum = 0
  for (const value of values) sum += Math.exp(value - maximum)
  return maximum + Math.log(sum)
}
