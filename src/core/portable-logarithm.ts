// A natural logarithm with the same bits on every engine. ECMAScript leaves Math.log to the
// implementation, and one differing last bit would send a seeded run down another path.

const bits = new DataView(new ArrayBuffer(8))

// 2·artanh(f) = 2f·(1 + f²/3 + f⁴/5 + …). With |f| ≤ 3 − 2√2 thirteen terms reach float64.
const coefficients = Float64Array.from({ length: 13 }, (_, term) => 1 / (2 * term + 1))

/** ln x of a positive, finite, normal number, within two units in the last place or so. */
export function portableLogarithm(x: number): number {
  bits.setFloat64(0, x)
  const high = bits.getUint32(0)
  let exponent = (high >>> 20) - 1023
  bits.setUint32(0, (high & 0xfffff) | 0x3ff00000)
  let mantissa = bits.getFloat64(0) // x = mantissa · 2^exponent, mantissa in [1, 2)
  if (mantissa > Math.SQRT2) {
    mantissa /= 2
    exponent += 1
  }
  const f = (mantissa - 1) / (mantissa + 1)
  const square = f * f
  let series = 0
  for (let term = coefficients.length - 1; term >= 0; term -= 1) {
    series = series * square + coefficients[term]!
  }
  return exponent * Math.LN2 + 2 * f * series
}
