// What of a long row to keep: the newest, the others fewer and fewer the farther back, and the oldest.
// So there is a version of a minute, of an hour and of a week ago to go back to.

/** `values` are in falling order of their numbers; so is what is left of them. */
export function thinOut<T>(
  values: readonly T[],
  most: number,
  numberOf: (value: T) => number,
): readonly T[] {
  const retained = [...values]
  while (retained.length > most) retained.splice(leastMissed(retained.map(numberOf)), 1)
  return retained
}

/** Where the gap that is left would be smallest, for how long ago it is. */
function leastMissed(numbers: readonly number[]): number {
  const newest = numbers[0]!
  let place = numbers.length - 1
  let smallest = Infinity
  for (let i = 1; i < numbers.length - 1; i++) {
    const gap = (numbers[i - 1]! - numbers[i + 1]!) / (newest - numbers[i]!)
    if (gap < smallest) [smallest, place] = [gap, i]
  }
  return place
}
