// Ctrl-C as a signal that work can be given.

/** Runs `body` with a signal that the first Ctrl-C sets off; a second one kills as usual. */
export async function untilInterrupted<T>(body: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const interrupt = (): void => controller.abort()
  process.once('SIGINT', interrupt)
  try {
    return await body(controller.signal)
  } finally {
    process.off('SIGINT', interrupt)
  }
}
