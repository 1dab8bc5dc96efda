// Notifies other processes of new events, and receives their notifications, through a connection of its own. A
// notification only saves time: whoever listens also polls.

import { setTimeout as wait } from 'node:timers/promises'

import type { Address } from './address.ts'
import { connect, type Connection, type Limits } from './connection.ts'

/** Milliseconds between two notifications of this process, and between two checks of the connection. */
const notifyMs = 10
const checkMs = 10_000
const retryMs = 1000

export class Listener {
  readonly #address: Address
  readonly #limits: Limits
  readonly #channel: string
  readonly #listeners = new Set<() => void>()
  #connection: Connection | null = null
  #running: Promise<void> | null = null
  readonly #ended = new AbortController()
  #notifying: NodeJS.Timeout | undefined

  constructor(address: Address, limits: Limits) {
    this.#address = address
    this.#limits = limits
    this.#channel = `"ren ${address.schema}"`
  }

  /** Returns a function that removes the listener. */
  add(listener: () => void): () => void {
    this.#listeners.add(listener)
    this.#running ??= this.#run()
    return () => void this.#listeners.delete(listener)
  }

  /** Notifies the others soon, if this process listens itself. */
  notify(): void {
    if (this.#running === null) return
    this.#notifying ??= setTimeout(() => {
      this.#notifying = undefined
      this.#connection?.run(`notify ${this.#channel}`).catch(() => {})
    }, notifyMs).unref()
  }

  async close(): Promise<void> {
    clearTimeout(this.#notifying)
    this.#ended.abort()
    await this.#connection?.close()
    await this.#running
  }

  /** Connects again whenever the connection is lost, or does not answer in time. */
  async #run(): Promise<void> {
    const { signal } = this.#ended
    while (!signal.aborted) {
      await this.#listen().catch(() => {})
      await pause(retryMs, signal)
    }
  }

  async #listen(): Promise<void> {
    const { signal } = this.#ended
    const connection = await connect(this.#address, this.#limits)
    const lost = new AbortController()
    const ended = AbortSignal.any([signal, lost.signal])
    connection.whenLost(() => lost.abort())
    connection.whenNotified(() => this.#notified())
    try {
      await connection.run(`listen ${this.#channel}`)
      this.#connection = connection
      // Events may have been appended while it was not connected.
      this.#notified()
      while (!ended.aborted) {
        await pause(checkMs, ended)
        if (!ended.aborted) await connection.query('select 1')
      }
    } finally {
      this.#connection = null
      if (signal.aborted) await connection.close()
      else connection.destroy()
    }
  }

  #notified(): void {
    for (const listener of this.#listeners) listener()
  }
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  wait(milliseconds, undefined, { signal, ref: false }).catch(() => {})
