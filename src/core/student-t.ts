// Critical values of Student's t distribution, for intervals over a handful of seeds.

/** How many standard errors a two-sided interval of this confidence reaches to either side. */
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

// P(|t| < √ν tan θ) for ν whole degrees of freedom: Abramowitz and Stegun, 26.7.3 and 26.7.4, whose
// sums over the even and the odd powers of cos θ differ only in where they start.
function probabilityWithin(angle: number, degrees: number): number {
  const odd = degrees % 2 === 1
  let term = odd ? Math.cos(angle) : 1
  let sum = 0
  for (let power = odd ? 1 : 0; power <= degrees - 2; power += 2) {
    sum += term
    term *= ((power + 1) / (power + 2)) * Math.cos(angle) ** 2
  }
  return odd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum
}
