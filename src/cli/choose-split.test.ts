import { describe, expect, it } from 'vitest'

import { chooseSplit } from './choose-split.ts'
import { parseHoldOut } from './hold-out.ts'

const trainedBy = (split: string) => ({
  training: { events: 'log.csv', digest: 'same', split, validation: 'none', seed: '1' },
})

describe('the split a model is tested by', () => {
  it('is the one it was trained by', () => {
    const { split, caution } = chooseSplit(trainedBy('time=0.2'), 'same', undefined)
    expect([split.text, caution]).toEqual(['time=0.2', null])
    const asked = chooseSplit(trainedBy('time=0.2'), 'same', parseHoldOut('time=0.20'))
    expect(asked.split.text).toBe('time=0.2')
  })

  it('is never another on the same log', () => {
    expect(() => chooseSplit(trainedBy('last'), 'same', parseHoldOut('time=0.2'))).toThrow(/last/)
    expect(() => chooseSplit(trainedBy('none'), 'same', undefined)).toThrow(/all rows/)
  })

  it('is free on another log, for an unknown model and for baselines, with a caution for models', () => {
    const wanted = parseHoldOut('time=0.2')
    const other = chooseSplit(trainedBy('none'), 'other', wanted)
    expect(other.split.text).toBe('time=0.2')
    expect(other.caution).toMatch(/another log/)
    expect(chooseSplit({ training: null }, 'same', wanted).caution).toMatch(/does not say/)
    expect(chooseSplit(null, 'same', undefined)).toMatchObject({
      split: { text: 'last' },
      caution: null,
    })
  })
})
