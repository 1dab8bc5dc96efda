// The learner's thread: listens to the main thread and answers each call once.

import { parentPort } from 'node:worker_threads'

import { RenError } from '../../core/errors.ts'
import { memoryOf } from './calls.ts'
import type { Answer, Call } from './calls.ts'
import { createLearnerCalls } from './learner-calls.ts'

const port = parentPort!
const calls = createLearnerCalls((training) => port.postMessage({ training }))

async function answer({ name, asked }: Call): Promise<Answer> {
  try {
    // One name and its own argument, which TypeScript cannot see through a union.
    const call = calls[name] as (asked: unknown) => unknown
    return { value: await call(asked) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { failure: { message, ...(error instanceof RenError && { code: error.code }) } }
  }
}

port.on('message', async (call: Call) => {
  const reply = await answer(call)
  port.postMessage(reply, memoryOf(reply))
})
