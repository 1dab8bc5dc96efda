import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { symmetricEigen } from './symmetric-eigen.ts'

/** Any symmetric matrix, with ties and zeros among them. */
const symmetric = fc.integer({ min: 1, max: 9 }).chain((dimension) =>
  fc
    .array(
      fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ min: -1e3, max: 1e3, noNaN: true })),
      {
        minLength: dimension * dimension,
        maxLength: dimension * dimension,
      },
    )
    .map((entries) => {
      const matrix = Float64Array.from(entries, (entry, at) => {
        const [i, j] = [Math.floor(at / dimension), at % dimension]
        return i <= j ? entry : entries[j * dimension + i]!
      })
      return { matrix, dimension }
    }),
)

const dot = (a: Float64Array, b: Float64Array): number =>
  a.reduce((total, value, i) => total + value * b[i]!, 0)

describe('the eigenvectors of a symmetric matrix', () => {
  it('are orthonormal', () => {
    fc.assert(
      fc.property(symmetric, ({ matrix, dimension }) => {
        const { vectors } = symmetricEigen(matrix, dimension)
        for (const [i, one] of vectors.entries()) {
          for (const [j, other] of vectors.entries()) {
            expect(dot(one, other)).toBeCloseTo(i === j ? 1 : 0, 10)
          }
        }
      }),
    )
  })

  it('are scaled by their values, which are in descending order and sum to the trace', () => {
    fc.assert(
      fc.property(symmetric, ({ matrix, dimension }) => {
        const { values, vectors } = symmetricEigen(matrix, dimension)
        const size = Math.max(1, ...matrix.map(Math.abs))
        for (const [i, vector] of vectors.entries()) {
          for (let row = 0; row < dimension; row++) {
            const image = dot(matrix.subarray(row * dimension, (row + 1) * dimension), vector)
            expect(Math.abs(image - values[i]! * vector[row]!)).toBeLessThan(1e-9 * size)
          }
        }
        expect(values).toEqual(values.toSorted((a, b) => b - a))
        const trace = vectors.reduce((total, _, i) => total + matrix[i * dimension + i]!, 0)
        const total = values.reduce((sum, value) => sum + value, 0)
        expect(Math.abs(trace - total)).toBeLessThan(1e-9 * size)
      }),
    )
  })

  it('are those of matrices with known eigenvectors', () => {
    const { values, vectors } = symmetricEigen(Float64Array.of(2, 1, 1, 2), 2)
    expect(values[0]).toBeCloseTo(3, 12)
    expect(values[1]).toBeCloseTo(1, 12)
    expect(Math.abs(vectors[0]![0]!)).toBeCloseTo(Math.SQRT1_2, 12)
    expect(vectors[0]![0]! * vectors[0]![1]!).toBeCloseTo(0.5, 12)
    expect(symmetricEigen(new Float64Array(9), 3).values).toEqual([0, 0, 0])
  })

  it('are computed without changing the matrix', () => {
    const matrix = Float64Array.of(2, 1, 1, 2)
    symmetricEigen(matrix, 2)
    expect([...matrix]).toEqual([2, 1, 1, 2])
  })
})
