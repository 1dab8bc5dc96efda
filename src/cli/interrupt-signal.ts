// Ctrl-C, and what else asks a process to end, as a signal that work can be given.

/**
 * Runs `body` with a signal that the first Ctrl-C sets off, or any of the `signals`; a second one
 * kills as usual.
 */
export async function untilInterrupted<T>(
  body: (signal: AbortSignal) => Promise<T>,
  signals: readonly NodeJS.Signals[] = ['SIGINT'],
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
