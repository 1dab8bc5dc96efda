// Who waits for the state to become as new as a position.

import { RenError } from '../core/errors.ts'
import type { Position } from '../storage/index.ts'

export interface Waiters {
  /** Resolves when the position is reached; after the timeout, and at the end, it is an error. */
  wait(position: Position, timeoutMs: number): Promise<void>
  reached(position: Position): void
  end(): void
}

interface Waiter {
  readonly position: Position
  /** Without an error: the position is reached. */
  settle(error?: RenError): void
}

export function createWaiters(): Waiters {
  const waiters = new Set<Waiter>()
  let ended = false
  return {
    wait: (position, timeoutMs) =>
      new Promise((resolve, reject) => {
        const waiter: Waiter = {
          position,
          settle(error) {
            waiters.delete(waiter)
            clearTimeout(deadline)
            if (error) reject(error)
            else resolve()
          },
        }
        const message = `event ${position} was not received within ${timeoutMs} ms`
        const late = (): void => waiter.settle(new RenError('not-caught-up', message))
        const deadline = setTimeout(late, timeoutMs)
        if (ended) waiter.settle(closed())
        else waiters.add(waiter)
      }),
    reached(position) {
      for (const waiter of waiters) if (waiter.position <= position) waiter.settle()
    },
    end() {
      ended = true
      for (const waiter of waiters) waiter.settle(closed())
    },
  }
}

const closed = (): RenError =>
  new RenError('service-closed', 'the service was closed before what was waited for came')
