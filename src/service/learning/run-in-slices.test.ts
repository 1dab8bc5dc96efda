import { expect, it } from 'vitest'

import { runInSlices } from './run-in-slices.ts'

/** A number of steps of one millisecond. */
function* work(steps: number): Generator<undefined, string> {
  for (let step = 0; step < steps; step++) {
    const end = performance.now() + 1
    while (performance.now() < end);
    yield
  }
  return 'done'
}

it('lets other work run between two slices', async () => {
  let turns = 0
  let done = false
  const count = (): void => {
    turns += 1
    if (!done) setImmediate(count)
  }
  setImmediate(count)
  expect(await runInSlices(work(40))).toBe('done')
  done = true
  expect(turns).toBeGreaterThanOrEqual(8)
})

it('ends when it is aborted', async () => {
  const control = new AbortController()
  const running = runInSlices(work(1e9), control.signal)
  control.abort()
  expect(await running).toBeUndefined()
})
