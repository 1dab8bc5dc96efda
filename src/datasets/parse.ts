// Parses numbers directly from bytes, because creating a string per number would take more time than
// the rest of reading. Also parses times to milliseconds since 1970 (UTC).

const minus = 0x2d
const point = 0x2e
const zero = 0x30
const nine = 0x39

/** Integers of up to this many digits are exact in float64. */
const exactDigits = 15
const powersOfTen = Array.from({ length: exactDigits + 1 }, (_, power) => 10 ** power)
const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** Parses the decimal number in bytes [start, end); NaN if there is no finite number. */
export function parseNumber(bytes: Uint8Array, start: number, end: number): number {
  const negative = bytes[start] === minus
  let mantissa = 0
  let digits = 0
  let decimals = -1 // digits after the decimal point; -1 before the point
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
  // A quotient of two exact numbers is rounded once, so the result equals Number().
  const magnitude = decimals > 0 ? mantissa / powersOfTen[decimals]! : mantissa
  return negative ? -magnitude : magnitude
}

/** Parses the rare forms: exponents, a plus sign, many digits. */
function parseText(bytes: Uint8Array, start: number, end: number): number {
  const text = String.fromCharCode(...bytes.subarray(start, Math.min(end, start + 400)))
  const value = decimal.test(text) && end - start <= 400 ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : Number.NaN
}

const americanTime = /^(\d{1,2})\/(\d{1,2})\/(\d{4}) (\d{1,2}):(\d\d):(\d\d) (AM|PM)$/

/** Parses a time such as 11/9/2019 9:05:58 AM; NaN for anything else. */
export function parseAmericanTime(text: string): number {
  const match = americanTime.exec(text)
  if (match === null) return Number.NaN
  const [month, day, year, hour, minute, second] = match.slice(1, 7).map(Number) as DateParts
  const sinceMidnight = (hour % 12) + (match[7] === 'PM' ? 12 : 0)
  const time = Date.UTC(year, month - 1, day, sinceMidnight, minute, second)
  // Date.UTC carries excess days into the next month.
  const isDay = month >= 1 && month <= 12 && new Date(time).getUTCDate() === day
  return isDay && hour >= 1 && hour <= 12 && minute < 60 && second < 60 ? time : Number.NaN
}

type DateParts = [number, number, number, number, number, number]
