// Round numbers along an axis.

const steps = [1, 2, 2.5, 5, 10]

/** Between the bounds, about as many as wanted: multiples of 1, 2, 2.5 or 5 of a power of ten. */
export function ticksOf(low: number, high: number, wanted: number): readonly number[] {
  if (!(high > low)) return [low]
  const rough = (high - low) / wanted
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * steps.find((each) => each * power >= rough * (1 - 1e-9))!
  const first = Math.ceil(low / step - 1e-9)
  const count = Math.floor(high / step + 1e-9) - first + 1
  // Rounded, since a sum of tenths is not what it says.
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)))
}
