// From values to places in a drawing: bounds, scales, paths.

export type Bounds = readonly [low: number, high: number]
type Values = readonly (number | null)[]

export interface Line {
  readonly label: string
  /** One per place on the axis; null where there is none. */
  readonly values: Values
  /** Bounds of the band around it. */
  readonly low?: Values
  readonly high?: Values
  /** Which colour; defaults to that of the method it is named by. */
  readonly colour?: number
  readonly dashed?: boolean
  /** Whether it is drawn on over the places where it has no value. */
  readonly joined?: boolean
}

/** Of all values, and apart even where there is one value or none. */
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

/** To a hundredth of a pixel, which is more than anybody sees. */
export const scaleOf =
  ([low, high]: Bounds, from: number, to: number) =>
  (value: number): number =>
    Math.round(100 * (from + ((value - low) / (high - low)) * (to - from))) / 100

/** Bounds of lines with their bands, at the places within. */
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

export interface Place {
  readonly x: number
  readonly y: number
}

/** Runs of places without a gap. */
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
  const kept: number[] = []
  for (let start = 0, end = 0; start < run.length; start = end) {
    const column = columnOf(run[start]!)
    let [low, high] = [run[start]!, run[start]!]
    for (end = start; end < run.length && columnOf(run[end]!) === column; end++) {
      const i = run[end]!
      if (values[i]! < values[low]!) low = i
      if (values[i]! > values[high]!) high = i
    }
    const seen = [run[start]!, low, high, run[end - 1]!].toSorted((a, b) => a - b)
    kept.push(...seen.filter((index, i) => index !== seen[i - 1]))
  }
  return kept
}

/** A path along places; a single one is a point, which a round line cap makes visible. */
export const pathOf = (places: readonly Place[]): string =>
  places.length === 1
    ? `M${places[0]!.x},${places[0]!.y}h0`
    : places.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${x},${y}`).join('')

/** The index of the place nearest to a value; the places rise. */
export function nearestIndex(x: readonly number[], value: number): number {
  let [low, high] = [0, x.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (x[middle]! < value) low = middle
    else high = middle
  }
  return Math.abs(x[high]! - value) < Math.abs(x[low]! - value) ? high : low
}
