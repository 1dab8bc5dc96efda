// Statistics of short lists of numbers: means, standard errors, Gini coefficients, and the critical
// values of Student's t distribution for intervals over a handful of seeds. The normal distribution.

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
 * (equal) toward 1 (one item has all). G = Σ_i (2i − n − 1)·c_i / (n·Σc) over counts in ascending
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

/** The density φ(z). */
export const normalDensity = (z: number): number => Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI)

// Coefficients of Numerical Recipes (erfcc): a relative error below 1.2e-7 everywhere, also in the tails.
const coefficients = [
  0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196,
  1.00002368, -1.26551223,
]

/** The probability Φ(z) that a standard normal number is below z. */
export function normalCdf(z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.5 * x)
  const tail = 0.5 * t * Math.exp(coefficients.reduce((value, c) => value * t + c, 0) - x * x)
  return z > 0 ? 1 - tail : tail
}

/** φ(z)/Φ(z): how far a comparison of surprise −z moves two means. */
export const hazard = (z: number): number => (z < -30 ? -z : normalDensity(z) / normalCdf(z))

/** E max(x − threshold, 0) for x normal: the expected gain over a threshold. */
export function expectedGain(center: number, deviation: number, threshold: number): number {
  const lead = center - threshold
  if (!(deviation > 0)) return Math.max(lead, 0)
  const z = lead / deviation
  return lead * normalCdf(z) + deviation * normalDensity(z)
}
