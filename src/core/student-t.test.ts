import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { studentCriticalValue } from './student-t.ts'

describe('the critical value of Student’s t', () => {
  it.each([
    [0.95, 1, 12.706],
    [0.95, 2, 4.303],
    [0.95, 3, 3.182],
    [0.95, 9, 2.262],
    [0.95, 19, 2.093],
    [0.95, 30, 2.042],
    [0.95, 120, 1.98],
    [0.99, 9, 3.25],
    [0.9, 4, 2.132],
  ])('at confidence %d with %d degrees of freedom is the %d of the tables', (c, degrees, value) => {
    expect(studentCriticalValue(c, degrees)).toBeCloseTo(value, 3)
  })

  it('has the closed forms of one and two degrees of freedom', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 0.999, noNaN: true }), (confidence) => {
        const one = Math.tan((Math.PI / 2) * confidence)
        const two = confidence * Math.sqrt(2 / (1 - confidence ** 2))
        expect(studentCriticalValue(confidence, 1) / one).toBeCloseTo(1, 9)
        expect(studentCriticalValue(confidence, 2) / two).toBeCloseTo(1, 9)
      }),
    )
  })

  it('falls with the degrees of freedom towards that of the normal distribution', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), (degrees) => {
        const value = studentCriticalValue(0.95, degrees)
        expect(value).toBeGreaterThan(studentCriticalValue(0.95, degrees + 1))
        expect(value).toBeGreaterThan(1.95996)
      }),
    )
    expect(studentCriticalValue(0.95, 5000)).toBeCloseTo(1.96, 2)
  })
})
