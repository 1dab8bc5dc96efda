// exp, sigmoid and tanh of four floats to about two units in the last place, and a logarithm
// (the standard library's would bring tables that every instance writes into shared memory).

import { multiplyAdd } from './vector'

/**
 * e^x = 2^n·e^r with n = round(x/ln 2), |r| ≤ ln2/2, and e^r by a polynomial of degree 6
 * (the minimax coefficients of Moshier's Cephes library). The clamps are where the exponent's bits
 * run out: n = −127 makes the power 0 and n = 128 makes it infinite. An x that is infinite itself
 * comes of an overflow further up, which nothing may hide: like NaN it makes NaN.
 */
export function exp4(x: v128): v128 {
  const oneOrNaN = multiplyAdd(x, f32x4.splat(0), f32x4.splat(1))
  const bounded = f32x4.pmax(f32x4.splat(-88), f32x4.pmin(f32x4.splat(89), x))
  const n = f32x4.nearest(f32x4.mul(bounded, f32x4.splat(1.44269504)))
  // ln 2 in two parts: the first has few bits, so that n·part is exact.
  let r = multiplyAdd(n, f32x4.splat(-0.693359375), bounded)
  r = multiplyAdd(n, f32x4.splat(2.1219444e-4), r)
  let p = multiplyAdd(f32x4.splat(1.98756915e-4), r, f32x4.splat(1.3981999507e-3))
  p = multiplyAdd(p, r, f32x4.splat(8.3334519073e-3))
  p = multiplyAdd(p, r, f32x4.splat(4.1665795894e-2))
  p = multiplyAdd(p, r, f32x4.splat(1.6666665459e-1))
  p = multiplyAdd(p, r, f32x4.splat(5.0000001201e-1))
  p = multiplyAdd(p, f32x4.mul(r, r), r)
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23)
  return f32x4.mul(f32x4.add(p, oneOrNaN), power)
}

export function sigmoid4(x: v128): v128 {
  const one = f32x4.splat(1)
  return f32x4.div(one, f32x4.add(one, exp4(f32x4.neg(x))))
}

/** tanh x = 1 − 2/(e^{2x} + 1), and near 0, where that cancels, an odd polynomial (Cephes). */
export function tanh4(x: v128): v128 {
  const one = f32x4.splat(1)
  const large = f32x4.sub(one, f32x4.div(f32x4.splat(2), f32x4.add(exp4(f32x4.add(x, x)), one)))
  const z = f32x4.mul(x, x)
  let p = multiplyAdd(f32x4.splat(-5.70498872745e-3), z, f32x4.splat(2.06390887954e-2))
  p = multiplyAdd(p, z, f32x4.splat(-5.37397155531e-2))
  p = multiplyAdd(p, z, f32x4.splat(1.33314422036e-1))
  p = multiplyAdd(p, z, f32x4.splat(-3.33332819422e-1))
  const small = multiplyAdd(f32x4.mul(p, z), x, x)
  return v128.bitselect(small, large, f32x4.lt(f32x4.abs(x), f32x4.splat(0.625)))
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
