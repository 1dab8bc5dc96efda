// A service that rebuilds its state when the log does not continue what was read of it. The old state serves, but is
// not ready, until the new one has read the log; then it is dropped.

import { setTimeout as wait } from 'node:timers/promises'

import type { RenError } from '../../core/errors.ts'
import type { Service } from '../service.ts'
import { errorMessage, type LogHandler } from '../settings.ts'
import type { ModelGroup } from '../state/model-groups.ts'

/** A service with its state. */
export interface OpenState {
  readonly service: Service
  readonly groups: readonly ModelGroup[]
}

interface RebuiltOptions {
  /** Opens the service with the state in the store. Calls `onRewound` once if the log does not continue. */
  readonly open: (onRewound: (error: RenError) => void) => Promise<OpenState>
  /** Called before the state is rebuilt. */
  readonly withdraw: () => Promise<void>
  readonly logMessage: LogHandler
  /** Ends what stays while the state is rebuilt. */
  readonly end: () => Promise<void>
}

/** Milliseconds between two attempts to rebuild the state. */
const retryMs = 1000

export async function openRebuilt(options: RebuiltOptions) {
  const rebuilding = new Rebuilding(options)
  await rebuilding.open()
  return {
    service: serviceOf(rebuilding),
    /** The model groups of the current state. */
    get groups() {
      return rebuilding.current.groups
    },
  }
}

class Rebuilding {
  readonly #options: RebuiltOptions
  readonly #closing = new AbortController()
  #current: OpenState | null = null
  #running: Promise<void> = Promise.resolve()
  #closed: Promise<void> | null = null

  constructor(options: RebuiltOptions) {
    this.#options = options
  }

  get current(): OpenState {
    return this.#current!
  }

  async open(): Promise<void> {
    const before = this.#current
    this.#current = await this.#options.open((error) => {
      this.#running = this.#running.then(() => this.#rebuild(error))
    })
    await before?.service.close()
  }

  /** Also closes the old state, if the new one is not open yet. */
  close(): Promise<void> {
    this.#closing.abort()
    return (this.#closed ??= (async () => {
      await this.#running
      await this.current.service.close()
      await this.#options.end()
    })())
  }

  async #rebuild(reason: RenError): Promise<void> {
    const { logMessage, withdraw } = this.#options
    const { signal } = this.#closing
    logMessage(errorMessage('warning', 'the state is rebuilt from the store', reason))
    while (!signal.aborted) {
      try {
        await withdraw()
        await this.open()
        return logMessage({ level: 'info', message: 'the state is rebuilt' })
      } catch (error) {
        logMessage(errorMessage('error', 'the state cannot be rebuilt', error))
        await wait(retryMs, undefined, { signal, ref: false }).catch(() => {})
      }
    }
  }
}

/** Passes every call on to the service with the current state. */
function serviceOf(rebuilding: Rebuilding): Service {
  const to = <T extends object>(target: () => T): T =>
    new Proxy({} as T, {
      get: (_, key) => Reflect.get(target(), key) as unknown,
      has: (_, key) => Reflect.has(target(), key),
    })
  const service = (): Service => rebuilding.current.service
  const parts: Partial<Service> = {
    items: to(() => service().items),
    users: to(() => service().users),
    model: to(() => service().model),
    close: () => rebuilding.close(),
  }
  return new Proxy({} as Service, {
    get: (_, key) => Reflect.get(key in parts ? parts : service(), key) as unknown,
    set: (_, key, value) => Reflect.set(parts, key, value),
    has: (_, key) => Reflect.has(service(), key),
  })
}
