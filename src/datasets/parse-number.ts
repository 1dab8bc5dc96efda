// A decimal number straight from bytes: logs hold millions of them, and a string for each would
// cost more than all the rest of reading.

const minus = 0x2d
const point = 0x2e
const zero = 0x30
const nine = 0x39

/** Up to so many digits make an integer that float64 holds exactly. */
const exactDigits = 15
const powersOfTen = Array.from({ length: exactDigits + 1 }, (_, power) => 10 ** power)
const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** The finite number that bytes [start, end) spell in decimal, or NaN if they spell none. */
export function parseNumber(bytes: Uint8Array, start: number, end: number): number {
  const negative = bytes[start] === minus
  let mantissa = 0
  let digits = 0
  let decimals = -1 // digits after the point; -1 before one was met
  for (let position = negative ? start + 1 : start; position < end; position++) {
    const byte = bytes[position]!
    if (byte >= zero && byte <= nine) {
      mantissa = mantissa * 10 + (byte - zero)
      digits += 1
    } else if (byte === point && decimals === -1) {
      decimals = end - position - 1
    } else {
      return parseText(bytes, start, end)
    }
  }
  if (digits === 0 || digits > exactDigits) return parseText(bytes, start, end)
  // A quotient of two exact numbers is rounded once: the answer is the one Number() gives.
  const magnitude = decimals > 0 ? mantissa / powersOfTen[decimals]! : mantissa
  return negative ? -magnitude : magnitude
}

/** The rare spellings: exponents, a plus sign, more digits than fit. */
function parseText(bytes: Uint8Array, start: number, end: number): number {
  const text = String.fromCharCode(...bytes.subarray(start, Math.min(end, start + 400)))
  const value = decimal.test(text) && end - start <= 400 ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : Number.NaN
}
