// Parses numbers, and times to milliseconds since 1970 (UTC).

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** Parses a decimal number; NaN if there is no finite number. */
export function parseNumber(text: string): number {
  const value = decimal.test(text) ? Number(text) : Number.NaN
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
