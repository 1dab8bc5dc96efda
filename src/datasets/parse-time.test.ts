import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { parseAmericanTime, parseDay, parseIsoTime } from './parse-time.ts'

const second = fc
  .integer({ min: 0, max: Date.UTC(2100, 0) / 1000 })
  .map((value) => new Date(value * 1000))

function americanText(date: Date): string {
  const hour = date.getUTCHours()
  const [minute, seconds] = [date.getUTCMinutes(), date.getUTCSeconds()].map((n) =>
    String(n).padStart(2, '0'),
  )
  const day = `${date.getUTCMonth() + 1}/${date.getUTCDate()}/${date.getUTCFullYear()}`
  return `${day} ${hour % 12 || 12}:${minute}:${seconds} ${hour < 12 ? 'AM' : 'PM'}`
}

describe('times spelt as dates', () => {
  it('read back, whatever the time', () => {
    fc.assert(
      fc.property(second, (date) => {
        const text = date.toISOString()
        expect(parseIsoTime(text)).toBe(date.getTime())
        expect(parseIsoTime(`${text.slice(0, 10)} ${text.slice(11, 19)}+00:00`)).toBe(
          date.getTime(),
        )
        expect(parseAmericanTime(americanText(date))).toBe(date.getTime())
        expect(parseDay(text.slice(0, 10))).toBe(Date.parse(text.slice(0, 10)))
      }),
    )
  })

  it('keep whole milliseconds of finer times', () => {
    expect(parseIsoTime('2019-11-24 00:01:03.979311+00:00')).toBe(
      Date.UTC(2019, 10, 24, 0, 1, 3, 979),
    )
  })

  it.each(['', '2005-02-29', '2005-13-01', '2005-00-10', '2005-1-1', '2005-01-01 '])(
    'refuse %j as a day',
    (text) => expect(parseDay(text)).toBeNaN(),
  )

  it.each(['', '2005-01-01', '2005-01-01 24:00:00+00:00', '2005-01-01 00:00:00+01:00'])(
    'refuse %j as a time',
    (text) => expect(parseIsoTime(text)).toBeNaN(),
  )

  it.each(['', '11/31/2019 1:00:00 AM', '11/1/2019 13:00:00 PM', '11/1/2019 0:00:00 AM', 'noon'])(
    'refuse %j as an American time',
    (text) => expect(parseAmericanTime(text)).toBeNaN(),
  )
})
