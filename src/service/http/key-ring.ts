// API keys, `ren_<id>_<secret>`: the id finds a key, the secret proves it, and the store contains only
// a hash. The key ring caches the keys of the store, and reads them again twice per second, so that it
// refuses revoked keys within a second.

import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

import { RenError } from '../../core/errors.ts'
import type { KeyScope, StoredKey, EventStore } from '../../storage/index.ts'
import { errorMessage, type LogHandler } from '../settings.ts'

/** A new API key: the secret, and its entry in the store. */
export interface NewKey {
  /** Show it to its owner now: it cannot be recovered later. */
  readonly key: string
  /** The entry for `EventStore.addKey`, which contains only a hash of the secret. */
  readonly stored: StoredKey
}

/**
 * Creates an API key. Show `key` to its owner once, and pass `stored` to `EventStore.addKey`.
 *
 * @param about `time` is in milliseconds since 1970.
 *
 * @example
 * ```ts
 * import { makeKey } from 'ren-recommender/service'
 * import { openStore } from 'ren-recommender/storage'
 *
 * const store = await openStore('data/ren.db')
 * const { key, stored } = makeKey({ name: 'shop', scopes: ['recommend', 'events'], time: Date.now() })
 * await store.addKey(stored)
 * await store.close()
 * console.log(key)
 * ```
 */
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

/** The parts of a key; null if the text is not a key. */
export function readKey(text: string): { readonly id: string; readonly secret: string } | null {
  const match = keyPattern.exec(text)
  return match && { id: match[1]!, secret: match[2]! }
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
const keyPattern = /^ren_([a-z0-9]{12})_([\w-]{43})$/

/** Compares in constant time. */
export function isSecretOf(secret: string, expected: Uint8Array): boolean {
  return timingSafeEqual(hashOf(secret), expected)
}

const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer')

const refreshMs = 500
const bearer = /^bearer +/i

export async function openKeyRing(
  store: Pick<EventStore, 'keys'>,
  onLogMessage: LogHandler,
): Promise<KeyRing> {
  const ring = new KeyRing(store, onLogMessage)
  await ring.refresh()
  ring.start()
  return ring
}

export class KeyRing {
  readonly #store: Pick<EventStore, 'keys'>
  readonly #onLogMessage: LogHandler
  /** Whether requests need a key: true once the store has one, even a revoked one. */
  locked = false
  #timer: NodeJS.Timeout | undefined
  #keys: ReadonlyMap<string, CachedKey> = new Map()
  #isFailing = false

  constructor(store: Pick<EventStore, 'keys'>, onLogMessage: LogHandler) {
    this.#store = store
    this.#onLogMessage = onLogMessage
  }

  /** Whether there is a key that is not revoked. */
  get usable(): boolean {
    return this.#keys.values().some(({ key }) => key.revoked === null)
  }

  /** The key of a request; null without one; an error if it is not valid. */
  identify(authorization: string | undefined): StoredKey | null | RenError {
    if (authorization === undefined) return null
    const parts = bearer.test(authorization) && readKey(authorization.replace(bearer, ''))
    if (!parts) return refused
    const cached = this.#keys.get(parts.id)
    // Hashes the secret even for an unknown id, so that the response time reveals nothing.
    const isValid = isSecretOf(parts.secret, cached?.hash ?? noHash)
    return cached && isValid && cached.key.revoked === null ? cached.key : refused
  }

  /** Whether a client with this key, or without one, would be admitted now. */
  admits(id: string | null): boolean {
    return id === null ? !this.locked : this.#keys.get(id)?.key.revoked === null
  }

  async refresh(): Promise<void> {
    const keys = await this.#store.keys()
    this.#keys = new Map(keys.map((key) => [key.id, { key, hash: Buffer.from(key.hash, 'hex') }]))
    this.locked = keys.length > 0
  }

  /** Starts to refresh the keys periodically. */
  start(): void {
    this.#timer = setInterval(() => void this.#refreshAgain(), refreshMs).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #refreshAgain(): Promise<void> {
    try {
      await this.refresh()
      this.#isFailing = false
    } catch (error) {
      // Logs only the first of several failures.
      if (!this.#isFailing) {
        this.#onLogMessage(errorMessage('error', 'API keys cannot be read', error))
      }
      this.#isFailing = true
    }
  }
}

interface CachedKey {
  readonly key: StoredKey
  readonly hash: Uint8Array
}

const noHash = Buffer.alloc(32)

const refused = new RenError(
  'key-refused',
  'the API key is unknown, revoked or malformed; send a valid one as Authorization: Bearer ren_<id>_<secret>',
)

/** The error if a key lacks a scope. */
export function missingScope(key: StoredKey, scope: KeyScope): RenError | undefined {
  if (key.scopes.includes(scope) || key.scopes.includes('admin')) return undefined
  const { name, scopes } = key
  const needed = scope === 'admin' ? scope : `${scope} or admin`
  return new RenError(
    'scope-missing',
    `the key must have the scope ${needed}, but ${JSON.stringify(name)} has ${scopes.join(', ')}`,
  )
}
