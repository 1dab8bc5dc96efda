import { describe, expect, it } from 'vitest'

import { marksOf } from './marks.tsx'

describe('the marks on a map', () => {
  const map = { x: Float32Array.of(1, 2, 3), y: Float32Array.of(4, 5, 6) }
  const placeOf = new Map([
    ['a', 0],
    ['b', 1],
    ['c', 2],
  ])

  it('are ordered by importance: history, slate, user embedding, selection', () => {
    const marks = marksOf(map, placeOf, {
      history: [{ item: 'c' }],
      slate: [{ item: 'a' }, { item: 'b' }],
      taste: { x: 0, y: 0 },
      focus: 'b',
    })
    expect(marks.map(({ kind, label = '' }) => kind + label)).toEqual([
      'history',
      'slate2',
      'slate1',
      'taste',
      'focus',
    ])
    expect(marks[1]).toMatchObject({ x: 2, y: 5 })
  })

  it('leave out what the map does not have', () => {
    const marks = marksOf(map, placeOf, {
      history: [{ item: 'z' }],
      slate: [{ item: 'z' }, { item: 'c' }],
      taste: null,
      focus: 'z',
    })
    expect(marks).toEqual([{ kind: 'slate', x: 3, y: 6, label: '2' }])
  })
})
