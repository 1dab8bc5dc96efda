import { Worker } from 'node:worker_threads'

import { expect, test } from 'vitest'

import { openThread } from './thread.ts'

/** Answers every call with the same. */
const answering = (answer: object) => (): Worker =>
  new Worker(
    `const { parentPort } = require('node:worker_threads')
    parentPort.on('message', () => parentPort.postMessage(${JSON.stringify(answer)}))`,
    { eval: true },
  )

test('an error of a call has the code that it had, or none, and is no death', async () => {
  const deaths: unknown[] = []
  const failures = [
    { message: 'a file is damaged', code: 'snapshot-damaged' },
    { message: 'cannot read x of undefined' },
  ]
  for (const failure of failures) {
    const thread = openThread(answering({ failure }), (death) => deaths.push(death))
    const error: unknown = await thread.ask('saveWeights', 'ren').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ message: failure.message })
    expect((error as { code?: string }).code).toBe(failure.code)
    expect(thread.isAlive()).toBe(true)
    await thread.end()
  }
  expect(deaths).toEqual([])
})
