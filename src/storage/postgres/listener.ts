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
  /** Whether to notify the others. */
  #isDue = false
  /** Ends the wait for the next call of the server. */
  #wake = new AbortController()

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
    this.#isDue = true
    this.#wake.abort()
  }

  async close(): Promise<void> {
    this.#ended.abort()
    this.#wake.abort()
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
    connection.whenLost(() => this.#wake.abort())
    connection.whenNotified(() => this.#notified())
    try {
      await connection.run(`listen ${this.#channel}`)
      this.#connection = connection
      // Events may have been appended while it was not connected.
      this.#notified()
      while (!signal.aborted) await this.#callNext(connection)
    } finally {
      this.#connection = null
      if (signal.aborted) await connection.close()
      else connection.destroy()
    }
  }

  /** Waits until the others must be notified or the connection checked, and does so: one call at a time. */
  async #callNext(connection: Connection): Promise<void> {
    const { signal } = this.#ended
    this.#wake = new AbortController()
    if (!this.#isDue && !connection.isLost) await pause(checkMs, this.#wake.signal)
    const isDue = this.#isDue
    // One notification suffices for the events of this time.
    if (isDue) await pause(notifyMs, signal)
    this.#isDue = false
    if (!signal.aborted) await connection.run(isDue ? `notify ${this.#channel}` : 'select 1')
  }

  #notified(): void {
    for (const listener of this.#listeners) listener()
  }
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  wait(milliseconds, undefined, { signal, ref: false }).catch(() => {})
