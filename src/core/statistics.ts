// Statistics of short lists of numbers: means, standard errors, Gini coefficients, and the critical
// values of Student's t distribution for intervals over a handful of seeds.

/** Adds from the first value to the last, so that the same list always gives the same bits. */
export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0)

/** The arithmetic mean; 0 for an empty list. */
export const mean = (values: readonly number[]): number => sum(values) / Math.max(1, values.length)

/** Standard error of the mean of independent values; 0 for fewer than two. */
export function standardError(values: readonly number[]): number {
  const [count, center] = [values.length, mean(values)]
  const squares = sum(values.map((value) => (value - center) ** 2))
  return count > 1 ? Math.sqrt(squares / (count - 1) / count) : 0
}

/**
 * Returns the Gini coefficient: how unequally counts are shared among `itemCount` items, from 0
 * (equal) towards 1 (one item has all). G = Σ_i (2i − n − 1)·c_i / (n·Σc) over counts in ascending
 * order, i from 1. Items without an entry in `counts` count 0.
 */
export function gini(counts: readonly number[], itemCount: number): number {
  const total = sum(counts)
  if (total === 0) return 0
  const first = itemCount - counts.length + 1
  const weighted = counts
    .toSorted((a, b) => a - b)
    .reduce((all, count, at) => all + (2 * (first + at) - itemCount - 1) * count, 0)
  return weighted / (itemCount * total)
}

/** Returns the half-width of a two-sided confidence interval, in standard errors. */
export function studentCriticalValue(confidence: number, degrees: number): number {
  let below = 0
  let above = Math.PI / 2
  for (let halving = 0; halving < 60; halving++) {
    const middle = (below + above) / 2
    if (probabilityWithin(middle, degrees) < confidence) below = middle
    else above = middle
  }
  return Math.sqrt(degrees) * Math.tan(below)
}

// P(|t| < √ν tan θ) for ν degrees of freedom: Abramowitz and Stegun, 26.7.3 and 26.7.4. Their sums
// over the odd and even powers of cos θ differ only in the first term.
function probabilityWithin(angle: number, degrees: number): number {
  const odd = degrees % 2 === 1
  let term = odd ? Math.cos(angle) : 1
  let series = 0
  for (let power = odd ? 1 : 0; power <= degrees - 2; power += 2) {
    series += term
    term *= ((power + 1) / (power + 2)) * Math.cos(angle) ** 2
  }
  return odd ? (2 / Math.PI) * (angle + Math.sin(angle) * series) : Math.sin(angle) * series
}
