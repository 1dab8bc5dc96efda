// Ridge regression on three features from running sums: the calibration of the reward model.

/** The number of features. */
const size = 3
const columns = size + 1

/** The running sums XᵀX and Xᵀy, row by row: the right-hand side is the last value of each row. */
export const newRidgeSums = (): Float64Array => new Float64Array(size * columns)

/** Adds an observation; `target` may also be a change of the target of an earlier one. */
export function addTarget(sums: Float64Array, features: readonly number[], target: number): void {
  for (let i = 0; i < size; i++) sums[columns * i + size]! += features[i]! * target
}

/** Adds the features of a new observation. Its target joins by `addTarget`. */
export function addFeatures(sums: Float64Array, features: readonly number[]): void {
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) sums[columns * i + j]! += features[i]! * features[j]!
  }
}

/**
 * Returns the coefficients that minimize the squared error plus Σ penalty·(coefficient − center)². The
 * second and third are at least 0: a negative one is set to 0, and the others are fitted again.
 */
export function fitRidge(
  sums: Float64Array,
  penalties: readonly number[],
  centers: readonly number[],
): readonly [number, number, number] {
  let free = [0, 1, 2]
  for (;;) {
    const solved = solve(
      free.map((i) => [
        ...free.map((j) => sums[columns * i + j]! + (i === j ? penalties[i]! : 0)),
        sums[columns * i + size]! + penalties[i]! * centers[i]!,
      ]),
    )
    const negative = free.find((i, at) => i > 0 && solved[at]! < 0)
    if (negative === undefined) {
      const of = (i: number): number => solved[free.indexOf(i)] ?? 0
      return [of(0), of(1), of(2)]
    }
    free = free.filter((i) => i !== negative)
  }
}

/** Solves a positive definite system by elimination, in place; each row ends with its right-hand side. */
function solve(rows: readonly number[][]): number[] {
  const n = rows.length
  for (const [i, pivot] of rows.entries()) {
    for (const row of rows.slice(i + 1)) {
      const factor = row[i]! / pivot[i]!
      for (let j = i; j <= n; j++) row[j]! -= factor * pivot[j]!
    }
  }
  const out = rows.map(() => 0)
  for (let i = n - 1; i >= 0; i--) {
    const row = rows[i]!
    let rest = row[n]!
    for (let j = i + 1; j < n; j++) rest -= row[j]! * out[j]!
    out[i] = rest / row[i]!
  }
  return out
}
