// Tests of the growing columns and lists in which readers collect rows.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { listAt } from '../core/impression-log.ts'
import { GrowingColumn, ListBuilder } from './growing.ts'

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

describe('a list builder', () => {
  it('retains the completed lists and drops the discarded ones', () => {
    const list = fc.record({ values: fc.array(fc.nat(), { maxLength: 4 }), isEnded: fc.boolean() })
    fc.assert(
      fc.property(fc.array(list), (lists) => {
        const builder = new ListBuilder()
        for (const { values, isEnded } of lists) {
          for (const value of values) builder.push(value)
          expect(builder.pending).toBe(values.length)
          if (isEnded) builder.end()
          else builder.discard()
        }
        builder.push(1) // never ended
        const ended = lists.filter(({ isEnded }) => isEnded)
        const built = builder.build()
        expect(built.offsets).toHaveLength(ended.length + 1)
        expect(ended.map((_, at) => [...listAt(built, at)])).toEqual(
          ended.map(({ values }) => values),
        )
      }),
    )
  })
})
