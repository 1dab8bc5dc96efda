// Starts the server of the benchmark and sends it commands.

import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { checkout } from '../../scripts/checkout.ts'
import type { TrainOutcome } from '../../src/service/index.ts'
import type { Question, ServerTask, Usage } from './server.ts'

export interface RunningServer {
  readonly port: number
  /** Milliseconds from opening the store until the service was ready. */
  readonly readyMs: number
  usage(): Promise<Usage>
  /** Trains until no user has new events. */
  learn(): Promise<unknown>
  /** The outcomes of its automatic updates. */
  updates(): Promise<readonly TrainOutcome[]>
  close(): Promise<void>
}

/** `root` is the checkout that serves; defaults to this one. */
export async function startServer(task: ServerTask, root = checkout): Promise<RunningServer> {
  const path = join(root, 'bench/service/server.ts')
  const child = fork(path, [JSON.stringify(task)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const { port, readyMs } = (await answerOf(child)) as { port: number; readyMs: number }
  const send = (question: Question): Promise<unknown> => {
    const answer = answerOf(child)
    child.send(question)
    return answer
  }
  return {
    port,
    readyMs,
    usage: () => send('usage') as Promise<Usage>,
    learn: () => send('learn'),
    updates: () => send('updates') as Promise<readonly TrainOutcome[]>,
    async close() {
      child.send('close' satisfies Question)
      await exited
    },
  }
}

/** Resolves with the next message; rejects if the process ends first. */
function answerOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stopped = (): void => reject(new Error('the server of the benchmark stopped'))
    child.once('exit', stopped)
    child.once('message', (message) => {
      child.off('exit', stopped)
      resolve(message)
    })
  })
}
