// Sums and means of lists.

/** From the first value to the last, so that the same list gives the same bits. */
export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0)

/** 0 of nothing. */
export const mean = (values: readonly number[]): number => sum(values) / Math.max(1, values.length)
