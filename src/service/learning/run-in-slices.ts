// Long work on the thread that serves, in slices: requests are answered between two of them.

import { setImmediate } from 'node:timers/promises'

/** Milliseconds that a slice may take, unless a single step takes longer. */
const sliceMs = 3

/**
 * Runs all steps and resolves with their result, or with undefined where `signal` ends them.
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
    // Two turns of the event loop: what arrived in the first is answered in the second.
    await setImmediate()
    await setImmediate()
    if (signal?.aborted === true) return undefined
  }
}
