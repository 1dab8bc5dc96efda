// Numbers straight from bytes, since logs hold millions of them and a string for each would cost more
// than the rest of reading; and times that are spelt as dates, as milliseconds since 1970 (UTC).

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

const isoDay = /^(\d{4})-(\d\d)-(\d\d)$/
const americanTime = /^(\d{1,2})\/(\d{1,2})\/(\d{4}) (\d{1,2}):(\d\d):(\d\d) (AM|PM)$/

/** 2005-12-31; NaN for anything else. */
export function parseDay(text: string): number {
  const [, year, month, day] = (isoDay.exec(text) ?? []).map(Number)
  return timeOf(year, month, day)
}

/** 11/9/2019 9:05:58 AM; NaN for anything else. */
export function parseAmericanTime(text: string): number {
  const match = americanTime.exec(text)
  const [, month, day, year, hour = 0, minute, second] = (match ?? []).map(Number)
  if (hour < 1 || hour > 12) return Number.NaN
  const sinceMidnight = (hour % 12) + (match?.[7] === 'PM' ? 12 : 0)
  return timeOf(year, month, day, sinceMidnight, minute, second)
}

/** NaN where the calendar or the clock has no such time. */
function timeOf(year = Number.NaN, month = 0, day = 0, hour = 0, minute = 0, second = 0): number {
  const monthStart = Date.UTC(year, month - 1)
  const days = (Date.UTC(year, month) - monthStart) / 86_400_000
  const exists =
    month >= 1 && month <= 12 && day >= 1 && day <= days && hour < 24 && minute < 60 && second < 60
  if (!exists) return Number.NaN
  return monthStart + (((day - 1) * 24 + hour) * 60 + minute) * 60_000 + second * 1000
}
