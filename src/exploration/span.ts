// The span of some vectors, by an orthonormal basis that grows.

export interface Span {
  /** Adds a vector that is not in the span; returns the basis vector that it brought. */
  add(vectors: Float32Array, offset: number): Float64Array
}

export function createSpan(dimension: number): Span {
  const basis: Float64Array[] = []
  return {
    add(vectors, offset) {
      const rest = Float64Array.from(vectors.subarray(offset, offset + dimension))
      // Gram and Schmidt, twice: the second round removes what rounding left in the first.
      for (const unit of [...basis, ...basis]) {
        const along = dot(unit, rest)
        for (let j = 0; j < dimension; j++) rest[j]! -= along * unit[j]!
      }
      const length = Math.sqrt(dot(rest, rest))
      for (let j = 0; j < dimension; j++) rest[j]! /= length
      basis.push(rest)
      return rest
    },
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!
  return sum
}
