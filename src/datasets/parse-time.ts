// Times that are spelt as dates, all read as UTC, to milliseconds since 1970.

const isoDay = /^(\d{4})-(\d\d)-(\d\d)$/
const isoTime = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d(?:\.\d+)?)(?:Z|\+00:00)$/
const americanTime = /^(\d{1,2})\/(\d{1,2})\/(\d{4}) (\d{1,2}):(\d\d):(\d\d) (AM|PM)$/

/** 2005-12-31; NaN for anything else. */
export function parseDay(text: string): number {
  const [, year, month, day] = (isoDay.exec(text) ?? []).map(Number)
  return timeOf(year, month, day)
}

/** 2019-11-24 00:01:03.979311+00:00; NaN for anything else. */
export function parseIsoTime(text: string): number {
  const [, year, month, day, ...clock] = (isoTime.exec(text) ?? []).map(Number)
  return timeOf(year, month, day, ...clock)
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
  return monthStart + (((day - 1) * 24 + hour) * 60 + minute) * 60_000 + Math.floor(second * 1000)
}
