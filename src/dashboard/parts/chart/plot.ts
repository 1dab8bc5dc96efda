// Maps values to positions: bounds, scales, paths, and round numbers along an axis.

export type Bounds = readonly [low: number, high: number]
type Values = readonly (number | null)[]

export interface Line {
  readonly label: string
  /** One per point on the axis; null if there is none. */
  readonly values: Values
  /** Bounds of the band around it. */
  readonly low?: Values
  readonly high?: Values
  /** The color index; defaults to that of the method with this name. */
  readonly color?: number
  readonly dashed?: boolean
  /** Whether the line continues across missing values. */
  readonly joined?: boolean
}

/** The bounds of all values; they differ even with one value or none. */
export function boundsOf(...columns: readonly Values[]): Bounds {
  let [low, high] = [Infinity, -Infinity]
  for (const values of columns) {
    for (const value of values) {
      if (value === null) continue
      if (value < low) low = value
      if (value > high) high = value
    }
  }
  if (low > high) return [0, 1]
  if (low === 0 && high === 0) return [0, 1]
  return low === high ? [low - 0.5, high + 0.5] : [low, high]
}

/** To a hundredth of a pixel. */
export const scaleOf =
  ([low, high]: Bounds, from: number, to: number) =>
  (value: number): number =>
    Math.round(100 * (from + ((value - low) / (high - low)) * (to - from))) / 100

/** Bounds of lines and bands at the points within a range. */
export function yBoundsOf(
  lines: readonly Line[],
  x: readonly number[],
  [from, to]: Bounds,
): Bounds {
  const first = x.findIndex((at) => at >= from)
  const end = 1 + x.findLastIndex((at) => at <= to)
  const within = (values: Values = []): Values =>
    first === 0 && end === x.length ? values : values.slice(Math.max(0, first), end)
  return boundsOf(...lines.flatMap(({ values, low, high }) => [values, low, high].map(within)))
}

/** Runs of points without a gap. */
export function runsOf(
  x: readonly number[],
  values: Values,
  isJoined: boolean,
): readonly (readonly number[])[] {
  const runs: number[][] = [[]]
  for (const i of x.keys()) {
    if (values[i] != null) runs.at(-1).push(i)
    else if (!isJoined && runs.at(-1).length > 0) runs.push([])
  }
  return runs.filter((run) => run.length > 0)
}

/**
 * Of the indices of a long run, those that can be seen: the first, the last, the lowest and the
 * highest of each column of pixels.
 */
export function visibleOf(
  run: readonly number[],
  columnOf: (index: number) => number,
  values: Values,
): readonly number[] {
  if (run.length < 4000) return run
  const visible: number[] = []
  for (let start = 0, end = 0; start < run.length; start = end) {
    const column = columnOf(run[start]!)
    let [low, high] = [run[start]!, run[start]!]
    for (end = start; end < run.length && columnOf(run[end]!) === column; end++) {
      const i = run[end]!
      if (values[i]! < values[low]!) low = i
      if (values[i]! > values[high]!) high = i
    }
    const seen = [run[start]!, low, high, run[end - 1]!].toSorted((a, b) => a - b)
    visible.push(...seen.filter((index, i) => index !== seen[i - 1]))
  }
  return visible
}

/** A path along points. A single point is visible by its round line cap. */
export const pathOf = (places: readonly { readonly x: number; readonly y: number }[]): string =>
  places.length === 1
    ? `M${places[0]!.x},${places[0]!.y}h0`
    : places.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${x},${y}`).join('')

/** The index of the point nearest to a value; the points are sorted. */
export function nearestIndex(x: readonly number[], value: number): number {
  let [low, high] = [0, x.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (x[middle]! < value) low = middle
    else high = middle
  }
  return Math.abs(x[high]! - value) < Math.abs(x[low]! - value) ? high : low
}

const steps = [1, 2, 2.5, 5, 10]

/** About the wanted number of ticks between the bounds: multiples of 1, 2, 2.5 or 5 times a power of ten. */
export function ticksOf(low: number, high: number, wanted: number): readonly number[] {
  if (!(high > low)) return [low]
  const rough = (high - low) / wanted
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * steps.find((each) => each * power >= rough * (1 - 1e-9))!
  const first = Math.ceil(low / step - 1e-9)
  const count = Math.floor(high / step + 1e-9) - first + 1
  // Rounded, because sums of tenths are inexact.
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)))
}

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]
const timeSteps = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * second),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 6, 12].map((n) => n * hour),
  ...[1, 2, 7, 14, 30, 91, 182, 365, 1826].map((n) => n * day),
]

/** Whole seconds, minutes, hours or days; `offset` is by how much local time is ahead, in milliseconds. */
export function timeTicksOf(low: number, high: number, wanted: number, offset = 0) {
  const rough = (high - low) / wanted
  const step = timeSteps.find((each) => each >= rough) ?? timeSteps.at(-1)
  const first = Math.ceil((low + offset) / step)
  const count = Math.max(0, Math.floor((high + offset) / step) - first + 1)
  return {
    ticks: Array.from({ length: count }, (_, i) => (first + i) * step - offset),
    /** Whether they are a day or more apart and need dates instead of times. */
    areDays: step >= day,
  }
}
