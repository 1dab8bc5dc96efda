// API keys: `ren_<id>_<secret>`. The id finds a key, the secret proves it, and only a hash is kept.

import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

import type { KeyScope, StoredKey } from '../../storage/index.ts'

export interface NewKey {
  /** To be handed over once; nobody can tell it again. */
  readonly key: string
  readonly stored: StoredKey
}

export function makeKey(about: {
  readonly name: string
  readonly scopes: readonly KeyScope[]
  readonly time: number
}): NewKey {
  const id = Array.from({ length: 12 }, () => letters[randomInt(letters.length)]).join('')
  const secret = randomBytes(32).toString('base64url')
  const { name, scopes, time: created } = about
  const stored = { id, name, scopes, hash: hashOf(secret).toString('hex'), created, revoked: null }
  return { key: `ren_${id}_${secret}`, stored }
}

interface SpeltKey {
  readonly id: string
  readonly secret: string
}

/** The parts of a key; null where it is none. */
export function readKey(text: string): SpeltKey | null {
  const match = spelling.exec(text)
  return match && { id: match[1]!, secret: match[2]! }
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
const spelling = /^ren_([a-z0-9]{12})_([\w-]{43})$/

/** Takes as long for a wrong secret as for the right one. */
export function isSecretOf(secret: string, expected: Uint8Array): boolean {
  return timingSafeEqual(hashOf(secret), expected)
}

const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer')
