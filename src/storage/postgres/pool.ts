// A few connections for calls that read, or that may be repeated. The first call opens the first one.

import type { Address } from './address.ts'
import { connect, type Connection, type Limits } from './connection.ts'
import { asStoreError, isRefusal } from './failures.ts'

export class Pool {
  readonly #address: Address
  readonly #limits: Limits
  readonly #max: number
  readonly #idle: Connection[] = []
  readonly #waiting: (() => void)[] = []
  #open = 0

  constructor(address: Address, limits: Limits, max: number) {
    this.#address = address
    this.#limits = limits
    this.#max = max
  }

  /**
   * Runs `body` with a connection. If an idle connection turns out to be lost, as after a restart of the
   * server, it runs `body` again with a new one, so `body` must be safe to repeat.
   */
  async run<T>(body: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      for (;;) {
        const { connection, isNew } = await this.#take()
        try {
          return await body(connection)
        } catch (error) {
          if (isNew || isRefusal(error) || !connection.isLost) throw error
        } finally {
          this.#release(connection)
        }
      }
    } catch (error) {
      throw asStoreError(error, this.#address)
    }
  }

  query<Row extends readonly unknown[]>(
    sql: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    return this.run((connection) => connection.query<Row>(sql, values))
  }

  /** Closes all connections. No call may be running. */
  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((connection) => connection.close()))
  }

  async #take(): Promise<{ readonly connection: Connection; readonly isNew: boolean }> {
    for (;;) {
      const idle = this.#idle.pop()
      if (idle?.isLost) this.#open -= 1
      else if (idle) return { connection: idle, isNew: false }
      else if (this.#open < this.#max) break
      else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    this.#open += 1
    try {
      return { connection: await connect(this.#address, this.#limits), isNew: true }
    } catch (error) {
      this.#open -= 1
      this.#waiting.shift()?.()
      throw error
    }
  }

  #release(connection: Connection): void {
    if (connection.isLost) this.#open -= 1
    else this.#idle.push(connection)
    this.#waiting.shift()?.()
  }
}
