import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'

import { formatPath, joinPath, RenError, within } from './errors.ts'

describe('a RenError', () => {
  it('prints only the properties that it has', () => {
    expect(inspect(new RenError('internal', 'why'))).not.toMatch(/path|details/)
    const error = new RenError('internal', 'why', { path: 'a', details: { b: 1 } })
    expect(inspect(error)).toMatch(/path: 'a',\s*details: \{ b: 1 \}/)
  })

  it('gets the path of the caller as a prefix', () => {
    const fail = (path?: string) => () => {
      throw new RenError('not-found', 'why', { path, details: { b: 1 } })
    }
    const error = { code: 'not-found', message: 'why', details: { b: 1 } }
    const pathOf = (path?: string) => expect.objectContaining({ ...error, path })
    expect(() => within('a', fail('b'))).toThrow(pathOf('a.b'))
    expect(() => within('a', fail('[0].b'))).toThrow(pathOf('a[0].b'))
    expect(() => within('a', fail())).toThrow(pathOf('a'))
    expect(within('a', () => 7)).toBe(7)
  })
})

describe('a path', () => {
  it.each([
    [['pin', 0, 'slot'], 'pin[0].slot'],
    [['pin', '0', 'slot'], 'pin[0].slot'],
    [['boost', 'two words', 'x'], 'boost["two words"].x'],
    [['"'], '["\\""]'],
    [[], ''],
  ])('of %j is written as in JavaScript', (steps, path) => {
    expect(formatPath(steps)).toBe(path)
  })

  it('may be joined with an empty one', () => {
    expect([joinPath('', 'a'), joinPath('a', ''), joinPath('', '[0]')]).toEqual(['a', 'a', '[0]'])
  })
})
