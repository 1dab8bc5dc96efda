import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { isSecretOf, makeKey, readKey } from './key-ring.ts'

const created = () => makeKey({ name: 'shop', scopes: ['events'], time: 5 })

describe('a key', () => {
  it('has the form ren_<id>_<secret>, and its secret is not stored', () => {
    const { key, stored } = created()
    const { id, secret } = readKey(key)!
    expect(key).toBe(`ren_${id}_${secret}`)
    expect(stored).toEqual({
      id,
      name: 'shop',
      scopes: ['events'],
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      created: 5,
      revoked: null,
    })
    expect(JSON.stringify(stored)).not.toContain(secret)
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  })

  it('differs each time', () => {
    const keys = Array.from({ length: 50 }, created)
    expect(new Set(keys.map(({ key }) => key)).size).toBe(50)
    expect(new Set(keys.map(({ stored }) => stored.id)).size).toBe(50)
  })

  it('is proved by its secret only', () => {
    const { key, stored } = created()
    const { secret } = readKey(key)!
    const hash = Buffer.from(stored.hash, 'hex')
    expect(isSecretOf(secret, hash)).toBe(true)
    fc.assert(
      fc.property(fc.string(), (other) => {
        fc.pre(other !== secret)
        expect(isSecretOf(other, hash)).toBe(false)
      }),
    )
  })

  it('is refused in any other form', () => {
    const { key } = created()
    fc.assert(
      fc.property(fc.nat(key.length - 1), fc.string({ maxLength: 3 }), (at, text) => {
        const other = key.slice(0, at) + text + key.slice(at + 1)
        const read = readKey(other)
        if (read) expect(`ren_${read.id}_${read.secret}`).toBe(other)
      }),
    )
    for (const text of ['', key.slice(1), `${key}x`, `${key}\n`, key.toUpperCase(), ` ${key}`]) {
      expect(readKey(text), text).toBeNull()
    }
  })
})
