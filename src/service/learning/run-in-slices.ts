// Runs long computations on the main thread in slices, so that requests are served in between.

import { setImmediate } from 'node:timers/promises'

/** Milliseconds per slice; a single step may take longer. */
const sliceMs = 3

/**
 * Runs all steps and resolves with their result, or with undefined if `signal` aborts.
 *
 * @example
 * await runInSlices(group.recommender.prepareMap())
 */
export async function runInSlices<T>(
  steps: Generator<unknown, T>,
  signal?: AbortSignal,
): Promise<T | undefined> {
  for (;;) {
    const start = performance.now()
    while (performance.now() - start < sliceMs) {
      const { done, value } = steps.next()
      if (done === true) return value
    }
    // Two turns of the event loop: requests that arrive in the first are served in the second.
    await setImmediate()
    await setImmediate()
    if (signal?.aborted === true) return undefined
  }
}
