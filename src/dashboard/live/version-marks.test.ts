import fc from 'fast-check'
import { expect, test } from 'vitest'

import type { ModelVersion } from '../../service/index.ts'
import { versionMarks } from './version-marks.ts'

const version = (number: number, time: number, group = 'ren'): ModelVersion => ({
  group,
  version: number,
  time,
  position: 0,
  loss: null,
  heldOut: null,
  origin: 'learnt',
  quality: null,
  live: null,
  trainedOn: null,
  reward: null,
  slates: 0,
  available: true,
})

test('marks show the versions within the chart, and name the group if there are several', () => {
  const versions = [version(2, 300), version(1, 150), version(0, 50)]
  expect(versionMarks(versions, [100, 400])).toEqual([
    { x: 300, label: 'v2' },
    { x: 150, label: 'v1' },
  ])
  expect(versionMarks([version(1, 150), version(4, 300, 'greedy')], [100, 400])[0]).toEqual({
    x: 300,
    label: 'greedy v4',
  })
  expect(versionMarks([], [])).toEqual([])
})

test('marks do not overlap, however many versions there are', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000)), (times) => {
      const marks = versionMarks(
        times.map((time, i) => version(i, time)),
        [0, 1000],
      )
      expect(marks.every(({ x }, i) => i === 0 || marks[i - 1]!.x - x >= 100)).toBe(true)
      expect(marks.length > 0).toBe(times.length > 0)
    }),
  )
})
