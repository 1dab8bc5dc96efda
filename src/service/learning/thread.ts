// The main thread's end of a learner's thread: one life of it, from its start until it ends or dies.

import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

import { errorCodes, RenError } from '../../core/errors.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { releaseMemory } from '../../core/release-memory.ts'
import type { Answer, Answered, Asked, Call, CallName, Training } from './calls.ts'

export interface LearnerThread {
  /** An error of the call itself is no end of the thread. Memory that is `moved` is not copied. */
  ask<Name extends CallName>(
    name: Name,
    asked: Asked<Name>,
    moved?: readonly ArrayBuffer[],
  ): Promise<Answered<Name>>
  isAlive(): boolean
  /** Ends it where it stands. */
  end(): Promise<void>
}

export type SpawnThread = () => Worker

// What dies young is found soon: else the memory of short-lived arrays, which lies outside the heap,
// would pile up between two collections.
const resourceLimits = { maxYoungGenerationSizeMb: 6 }

/** TypeScript in the checkout, JavaScript in the published package. */
export const spawnThread: SpawnThread = () =>
  new Worker(new URL(`./learner-worker${extname(import.meta.url)}`, import.meta.url), {
    resourceLimits,
  })

/** Calls `onDeath` once if the thread stops without a request. */
export function openThread(
  spawn: SpawnThread,
  onDeath: (reason: RenError) => void,
  onTraining: (training: Training) => void = () => {},
): LearnerThread {
  const worker = spawn()
  let waiting: PromiseWithResolvers<unknown> | null = null
  let death: RenError | null = null
  let ending = false

  // It keeps the process alive while somebody waits for its answer, and no longer.
  worker.unref()
  const settle = (): PromiseWithResolvers<unknown> | null => {
    worker.unref()
    const asker = waiting
    waiting = null
    return asker
  }
  const die = (cause: unknown): void => {
    if (death !== null) return
    death = new RenError('worker-failed', `the learner's thread stopped: ${String(cause)}`, {
      cause,
    })
    settle()?.reject(death)
    if (!ending) onDeath(death)
  }
  worker.on('message', (answer: Answer | { readonly training: Training }) => {
    if ('training' in answer) onTraining(answer.training)
    else if ('failure' in answer) settle()?.reject(errorOf(answer.failure))
    else settle()?.resolve(answer.value)
  })
  worker.on('messageerror', die)
  worker.on('error', die)
  worker.on('exit', (code) => die(`it exited with code ${code}`))

  return {
    ask<Name extends CallName>(name: Name, asked: Asked<Name>, moved: readonly ArrayBuffer[] = []) {
      if (death !== null) return Promise.reject(death)
      if (waiting !== null) throw new Error(`${name}: the call before has not been answered`)
      waiting = Promise.withResolvers()
      worker.ref()
      worker.postMessage({ name, asked } satisfies Call, moved)
      return waiting.promise as Promise<Answered<Name>>
    },
    isAlive: () => death === null,
    async end() {
      ending = true
      await worker.terminate()
    },
  }
}

/** One without a code is a fault of the thread's, and not its end. */
function errorOf({ message, code }: { readonly message: string; readonly code?: string }): Error {
  const known = code !== undefined && Object.hasOwn(errorCodes, code)
  return known ? new RenError(code as ErrorCode, message) : new Error(message)
}

/** Each part is gone when the next is asked for. */
export async function* partsFrom<Name extends 'saveWeights' | 'saveState'>(
  thread: LearnerThread,
  what: Name,
  asked: Asked<Name>,
): AsyncGenerator<Uint8Array> {
  await thread.ask(what, asked)
  for (let part; (part = await thread.ask('nextPart', undefined)) !== null;) {
    yield part
    releaseMemory(part)
  }
}
