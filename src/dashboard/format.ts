// Formats numbers, times and sizes.

/** Creates the value at the first call, because formatters are slow to create. */
function lazily<T>(make: () => T): () => T {
  let value: T | null = null
  return () => (value ??= make())
}

const threeDigits = lazily(() => new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 3 }))
const significant = (value: number): string => threeDigits().format(value)

/** A whole number with commas, such as 1,200. */
export const count = (value: number): string => value.toFixed(0).replaceAll(/\B(?=(\d{3})+$)/g, ',')

/** Such as `1 item` or `1,200 items`. */
export const counted = (value: number, what: string): string =>
  `${count(value)} ${what}${value === 1 ? '' : 's'}`

/** Three significant digits, such as 0.0123 or 12.3. */
export const figure = (value: number | null): string => (value === null ? '–' : significant(value))

/** Such as +0.012, −3 or 0. */
export const signed = (value: number): string =>
  `${value > 0 ? '+' : value < 0 ? '−' : ''}${figure(Math.abs(value))}`

/** For columns, with aligned decimal points. */
export const fixed = (value: number | null, digits = 3): string =>
  value === null ? '–' : value.toFixed(digits)

/** The number of decimals that are useful for values of this scale. */
export const digitsFor = ([low, high]: readonly [number, number]): number =>
  Math.min(8, Math.max(0, 2 - Math.floor(Math.log10(Math.max(-low, high)))))

export const percent = (share: number | null): string =>
  share === null ? '–' : `${significant(100 * share)}%`

const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

export function bytes(value: number): string {
  const power = Math.min(units.length - 1, value > 0 ? Math.floor(Math.log10(value) / 3) : 0)
  if (power === 0) return counted(value, 'byte')
  return `${significant(value / 1000 ** power)} ${units[power]!}`
}

/** Such as 12 s, 3 min 20 s or 2 h 5 min. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60]
  if (minutes < 60) return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

const clock = lazily(() => new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' }))
const date = lazily(
  () => new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' }),
)
const dayFormat = lazily(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' }))

export const day = (time: number): string => dayFormat().format(time)
export const timeOfDay = (time: number): string => clock().format(time)
/** The time of day for today, otherwise the date. */
export const timeOrDate = (time: number, now: number): string =>
  day(time) === day(now) ? timeOfDay(time) : day(time)
export const dateAndTime = (time: number): string => date().format(time)
