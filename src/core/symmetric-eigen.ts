// Eigenvalues and eigenvectors of a small symmetric matrix by the cyclic Jacobi method. Each rotation
// zeroes one off-diagonal entry; the sweeps repeat until all of them are negligible.

/** The method converges quadratically, in fewer than ten sweeps. */
const maxSweeps = 50
const tolerance = 1e-26

/** Decomposes `matrix` (d × d), which it does not change. Values descend; vectors are orthonormal. */
export function symmetricEigen(matrix: Float64Array, dimension: number) {
  const a = Float64Array.from(matrix)
  const vectors = Array.from({ length: dimension }, (_, i) => {
    const unit = new Float64Array(dimension)
    unit[i] = 1
    return unit
  })
  for (let sweep = 0; sweep < maxSweeps && !isDiagonal(a, dimension); sweep++) {
    for (let p = 0; p < dimension; p++) {
      for (let q = p + 1; q < dimension; q++) rotate(a, vectors, p, q)
    }
  }
  const found = vectors.map((vector, i) => ({ value: a[i * dimension + i]!, vector }))
  found.sort((one, other) => other.value - one.value)
  return { values: found.map(({ value }) => value), vectors: found.map(({ vector }) => vector) }
}

function isDiagonal(a: Float64Array, d: number): boolean {
  let [on, off] = [0, 0]
  for (let i = 0; i < d; i++) {
    on += a[i * d + i]! ** 2
    for (let j = i + 1; j < d; j++) off += a[i * d + j]! ** 2
  }
  return off <= tolerance * on
}

/** a ← JᵀaJ with the rotation J of the plane (p, q) that makes a_pq zero. */
function rotate(a: Float64Array, vectors: readonly Float64Array[], p: number, q: number): void {
  const d = vectors.length
  const entry = a[p * d + q]!
  if (entry === 0) return
  // t = tan of the smaller of the two rotation angles.
  const slope = (a[q * d + q]! - a[p * d + p]!) / (2 * entry)
  const t = (slope < 0 ? -1 : 1) / (Math.abs(slope) + Math.hypot(slope, 1))
  const c = 1 / Math.hypot(t, 1)
  const s = t * c
  for (let k = 0; k < d; k++) {
    const [x, y] = [a[k * d + p]!, a[k * d + q]!]
    a[k * d + p] = c * x - s * y
    a[k * d + q] = s * x + c * y
  }
  turn(a.subarray(p * d, (p + 1) * d), a.subarray(q * d, (q + 1) * d), c, s)
  turn(vectors[p]!, vectors[q]!, c, s)
}

function turn(one: Float64Array, other: Float64Array, c: number, s: number): void {
  for (let k = 0; k < one.length; k++) {
    const [x, y] = [one[k]!, other[k]!]
    one[k] = c * x - s * y
    other[k] = s * x + c * y
  }
}
