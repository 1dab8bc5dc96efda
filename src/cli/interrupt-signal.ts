// Ctrl-C and other termination signals as an AbortSignal, and loops that check for them.

import { setImmediate } from 'node:timers/promises'

/** Runs `body` with a signal that the first of the `signals` aborts. A second one kills the process. */
export async function untilInterrupted<T>(
  body: (signal: AbortSignal) => Promise<T>,
  signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'],
): Promise<T> {
  const controller = new AbortController()
  const listen = (how: 'on' | 'off'): void => {
    for (const signal of signals) process[how](signal, interrupt)
  }
  const interrupt = (): void => {
    listen('off')
    controller.abort()
  }
  listen('on')
  try {
    return await body(controller.signal)
  } finally {
    listen('off')
  }
}

const yieldEveryMs = 50

/** A function that lets signals arrive during a long computation; call it often. */
export function createYield(): () => Promise<void> {
  let yielded = performance.now()
  return async () => {
    if (performance.now() - yielded < yieldEveryMs) return
    await setImmediate()
    yielded = performance.now()
  }
}
