// Draws from a Beta distribution, as the share of one of two Gamma draws.

import { portableLogarithm } from '../core/random.ts'
import type { Random } from '../core/random.ts'

/** Beta(a, b) for a and b above 0. */
export function drawBeta(a: number, b: number, random: Random): number {
  const x = drawGamma(a, random)
  const y = drawGamma(b, random)
  if (x + y > 0) return x / (x + y)
  // Both are indistinguishable from 0: with such small shapes all mass is at the ends.
  return Number(random.uniform() < a / (a + b))
}

/** Gamma(shape, 1): Marsaglia and Tsang (2000), and G(a) = G(a + 1)·U^(1/a) for a shape below 1. */
function drawGamma(shape: number, random: Random): number {
  if (shape < 1) {
    const u = 1 - random.uniform() // above 0
    return drawGamma(shape + 1, random) * Math.exp(portableLogarithm(u) / shape)
  }
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = random.normal()
    const v = (1 + c * x) ** 3
    if (v <= 0) continue
    const u = 1 - random.uniform()
    const square = x * x
    // The first test is the second's, without logarithms, for nearly all draws.
    if (u < 1 - 0.0331 * square * square) return d * v
    if (portableLogarithm(u) < square / 2 + d * (1 - v + portableLogarithm(v))) return d * v
  }
}
