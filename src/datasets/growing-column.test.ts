// Tests of the growing columns in which readers collect rows.

import { describe, expect, it } from 'vitest'

import { GrowingColumn } from './read-log.ts'

describe('a growing column', () => {
  it('holds any number of pushed values', () => {
    const column = new GrowingColumn(Float64Array)
    const values = Float64Array.from({ length: 5000 }, (_, at) => at / 3)
    for (const value of values) column.push(value)
    expect(column.values()).toEqual(values)
    column.truncate(7)
    expect(column.values()).toEqual(values.subarray(0, 7))
    expect(column.length).toBe(7)
  })
})
