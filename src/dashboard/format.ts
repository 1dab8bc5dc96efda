// Numbers, times and sizes as people read them.

const whole = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 })
const significant = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 3 })

export const count = (value: number): string => whole.format(value)

/** Such as `1 item` or `1,200 items`. */
export const counted = (value: number, what: string): string =>
  `${count(value)} ${what}${value === 1 ? '' : 's'}`

/** Three digits that say something, such as 0.0123 or 12.3. */
export const figure = (value: number | null): string =>
  value === null ? '–' : significant.format(value)

/** Such as +0.012, −3 or 0. */
export const signed = (value: number): string =>
  `${value > 0 ? '+' : value < 0 ? '−' : ''}${figure(Math.abs(value))}`

/** For columns, where points are to stand under each other. */
export const fixed = (value: number | null, digits = 3): string =>
  value === null ? '–' : value.toFixed(digits)

export const percent = (share: number | null): string =>
  share === null ? '–' : `${significant.format(100 * share)} %`

const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

export function bytes(value: number): string {
  const power = Math.min(units.length - 1, value > 0 ? Math.floor(Math.log10(value) / 3) : 0)
  if (power === 0) return counted(value, 'byte')
  return `${significant.format(value / 1000 ** power)} ${units[power]!}`
}

export const milliseconds = (value: number): string =>
  value < 1000 ? `${significant.format(value)} ms` : duration(value)

/** Such as 12 s, 3 min 20 s or 2 h 5 min. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60]
  if (minutes < 60) return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

export const timeOfDay = (time: number): string => clock.format(time)
export const dateAndTime = (time: number): string => date.format(time)
