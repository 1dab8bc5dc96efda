// The keys of a store, held in memory so that a request waits for none, and read again so often that
// what is revoked by anybody is refused within a second.

import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

import { RenError } from '../../core/errors.ts'
import type { KeyScope, StoredKey, EventStore } from '../../storage/index.ts'
import type { LogMessage } from '../settings.ts'

// API keys: `ren_<id>_<secret>`. The id finds a key, the secret proves it, and only a hash is kept.

/** A new API key: the secret, and what the store holds of it. */
export interface NewKey {
  /** To be handed over once; nobody can tell it again. */
  readonly key: string
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

const everyMs = 500
const bearer = 'Bearer '

export async function openKeyRing(
  store: Pick<EventStore, 'keys'>,
  onLogMessage: (logMessage: LogMessage) => void,
): Promise<KeyRing> {
  const ring = new KeyRing(store, onLogMessage)
  await ring.refresh()
  ring.start()
  return ring
}

export class KeyRing {
  readonly #store: Pick<EventStore, 'keys'>
  readonly #onLogMessage: (logMessage: LogMessage) => void
  #timer: NodeJS.Timeout | undefined
  #keys: ReadonlyMap<string, HeldKey> = new Map()
  #isFailing = false

  constructor(store: Pick<EventStore, 'keys'>, onLogMessage: (logMessage: LogMessage) => void) {
    this.#store = store
    this.#onLogMessage = onLogMessage
  }

  /** Once there is a key, or ever was, every request needs one. */
  get locked(): boolean {
    return this.#keys.size > 0
  }

  /** Whether one is there that is not revoked. */
  get usable(): boolean {
    return this.#keys.values().some(({ key }) => key.revoked === null)
  }

  /** The key that a request sent; null without one; an error where it is not to be taken. */
  identify(authorization: string | undefined): StoredKey | null | RenError {
    if (authorization === undefined) return null
    const spelt = authorization.startsWith(bearer) && readKey(authorization.slice(bearer.length))
    if (!spelt) return refused
    const held = this.#keys.get(spelt.id)
    // A secret is hashed even where there is no such id, so that time tells nothing.
    const fits = isSecretOf(spelt.secret, held?.hash ?? noHash)
    return held && fits && held.key.revoked === null ? held.key : refused
  }

  /** Whether who came with a key of that id, or with none, would be let in now. */
  admits(id: string | null): boolean {
    return id === null ? !this.locked : this.#keys.get(id)?.key.revoked === null
  }

  async refresh(): Promise<void> {
    const keys = await this.#store.keys()
    this.#keys = new Map(keys.map((key) => [key.id, { key, hash: Buffer.from(key.hash, 'hex') }]))
  }

  /** Reads the keys again and again from here on. */
  start(): void {
    this.#timer = setInterval(() => void this.#refreshAgain(), everyMs).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #refreshAgain(): Promise<void> {
    try {
      await this.refresh()
      this.#isFailing = false
    } catch (error) {
      const message = `API keys cannot be read: ${String(error)}`
      // Once, not twice a second.
      if (!this.#isFailing) this.#onLogMessage({ level: 'error', message })
      this.#isFailing = true
    }
  }
}

interface HeldKey {
  readonly key: StoredKey
  readonly hash: Uint8Array
}

const noHash = Buffer.alloc(32)

const refused = new RenError(
  'key-refused',
  'expected a key in use as Authorization: Bearer ren_<id>_<secret>, got another or none of it',
)

/** Why a key may not do what needs a scope; undefined where it may. */
export function missingScope(key: StoredKey, scope: KeyScope): RenError | undefined {
  if (key.scopes.includes(scope) || key.scopes.includes('admin')) return undefined
  const { name, scopes } = key
  const needed = scope === 'admin' ? scope : `${scope} or admin`
  return new RenError(
    'scope-missing',
    `expected a key with the scope ${needed}, got ${JSON.stringify(name)} with ${scopes.join(', ')}`,
  )
}
