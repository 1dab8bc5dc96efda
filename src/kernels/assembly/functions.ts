// exp, sigmoid and tanh of four floats to about two units in the last place, and a logarithm. The
// logarithm of the standard library has tables that every instance would write into shared memory.

import * as constants from './constants'
import { multiplyAdd } from './vector'

/**
 * e^x = 2^n·e^r with n = round(x/ln 2), |r| ≤ ln2/2, and e^r by a polynomial of degree 6
 * (the minimax coefficients of Moshier's Cephes library). The clamps are the limits of the exponent:
 * n = −127 gives a power of 0 and n = 128 gives infinity. An infinite x results from an earlier
 * overflow, which must stay visible, so it gives NaN, as NaN does.
 */
export function exp4(x: v128): v128 {
  const oneOrNaN = multiplyAdd(x, f32x4.splat(0), constants.one)
  const bounded = f32x4.pmax(constants.lowestPower, f32x4.pmin(constants.highestPower, x))
  const n = f32x4.nearest(f32x4.mul(bounded, constants.bitsPerNat))
  let r = multiplyAdd(n, constants.minusLog2High, bounded)
  r = multiplyAdd(n, constants.minusLog2Low, r)
  let p = multiplyAdd(constants.expTerm7, r, constants.expTerm6)
  p = multiplyAdd(p, r, constants.expTerm5)
  p = multiplyAdd(p, r, constants.expTerm4)
  p = multiplyAdd(p, r, constants.expTerm3)
  p = multiplyAdd(p, r, constants.expTerm2)
  p = multiplyAdd(p, f32x4.mul(r, r), r)
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23)
  return f32x4.mul(f32x4.add(p, oneOrNaN), power)
}

export function sigmoid4(x: v128): v128 {
  return f32x4.div(constants.one, f32x4.add(constants.one, exp4(f32x4.neg(x))))
}

/** tanh x = 1 − 2/(e^{2x} + 1); near 0, where this cancels, an odd polynomial (Cephes). */
export function tanh4(x: v128): v128 {
  const large = f32x4.sub(
    constants.one,
    f32x4.div(constants.two, f32x4.add(exp4(f32x4.add(x, x)), constants.one)),
  )
  const z = f32x4.mul(x, x)
  let p = multiplyAdd(constants.tanhTerm11, z, constants.tanhTerm9)
  p = multiplyAdd(p, z, constants.tanhTerm7)
  p = multiplyAdd(p, z, constants.tanhTerm5)
  p = multiplyAdd(p, z, constants.tanhTerm3)
  const small = multiplyAdd(f32x4.mul(p, z), x, x)
  return v128.bitselect(small, large, f32x4.lt(f32x4.abs(x), constants.tanhSmall))
}

/** ln x for positive normal x: x = 2^e·m with m near 1, and ln m = 2·atanh((m − 1)/(m + 1)). */
export function logarithm(x: f64): f64 {
  if (!(x < Infinity)) return x
  const bits = reinterpret<i64>(x)
  let exponent = <f64>((bits >> 52) - 1023)
  let mantissa = reinterpret<f64>((bits & 0x000fffffffffffff) | 0x3ff0000000000000)
  if (mantissa > 1.4142135623730951) {
    mantissa *= 0.5
    exponent += 1
  }
  const s = (mantissa - 1) / (mantissa + 1)
  const z = s * s
  let series: f64 = 0
  for (let n: f64 = 21; n > 0; n -= 2) series = series * z + 1 / n
  return exponent * 0.6931471805599453 + 2 * s * series
}
