// Sums and means of lists.

/** From the first value to the last, so that the same list gives the same bits. */
export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0)

/** 0 of nothing. */
export const mean = (values: readonly number[]): number => sum(values) / Math.max(1, values.length)

/** Of the mean, of values that are independent; 0 of a single one. */
export function standardError(values: readonly number[]): number {
  const [count, centre] = [values.length, mean(values)]
  const squares = sum(values.map((value) => (value - centre) ** 2))
  return count > 1 ? Math.sqrt(squares / (count - 1) / count) : 0
}
