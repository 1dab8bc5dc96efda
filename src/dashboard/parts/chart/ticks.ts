// Round numbers along an axis.

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

export interface TimeTicks {
  readonly ticks: readonly number[]
  /** Whether they are a day or more apart and need dates instead of times. */
  readonly areDays: boolean
}

/** Whole seconds, minutes, hours or days; `offset` is by how much local time is ahead, in milliseconds. */
export function timeTicksOf(low: number, high: number, wanted: number, offset = 0): TimeTicks {
  const rough = (high - low) / wanted
  const step = timeSteps.find((each) => each >= rough) ?? timeSteps.at(-1)
  const first = Math.ceil((low + offset) / step)
  const count = Math.max(0, Math.floor((high + offset) / step) - first + 1)
  return {
    ticks: Array.from({ length: count }, (_, i) => (first + i) * step - offset),
    areDays: step >= day,
  }
}
