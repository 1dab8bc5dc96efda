// Requests that arrive in one turn of the event loop are answered after each other, once all of them
// are read: what the kernels and HTTP each need stays in the processor's caches meanwhile.

/** Does the work with the other work of this turn; the answers leave when all of it is done. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>

/** What is more waits for the next turn, so that whoever came first does not wait for many. */
const maxAtOnce = 16

export function createTurns(): Turns {
  let waiting: (() => void)[] = []

  function run(): void {
    const now = waiting.slice(0, maxAtOnce)
    waiting = waiting.slice(maxAtOnce)
    if (waiting.length > 0) setImmediate(run)
    for (const work of now) work()
  }

  return (work) =>
    new Promise((resolve) => {
      if (waiting.push(() => resolve(Promise.try(work))) === 1) setImmediate(run)
    })
}
