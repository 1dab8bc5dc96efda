// Logs that a server is handed as texts: brought into its store by a thread of their own, so that no
// request waits for the reading of them.

import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

import { RenError } from '../core/errors.ts'
import type { Importer } from '../service/runs.ts'
import type { ImportTask, ImportWord } from './import-thread.ts'

/** `store` is the path of the store. The service follows its log, whoever writes it. */
export function createTextImporter(store: string): Importer {
  return {
    async start(request, onProgress, signal) {
      const thread = new URL(`./import-thread${extname(import.meta.url)}`, import.meta.url)
      const task: ImportTask = { store, request }
      const worker = new Worker(thread, { workerData: task })
      const stop = (): void => worker.postMessage('stop')
      signal.addEventListener('abort', stop, { once: true })
      try {
        return await new Promise((resolve, reject) => {
          worker.on('message', (word: ImportWord) => {
            if ('progress' in word) onProgress(word.progress)
            else if ('result' in word) resolve(word.result)
            else reject(new RenError(word.failure.code, word.failure.message))
          })
          worker.on('error', reject)
          worker.on('exit', () => reject(new RenError('worker-failed', 'an import was cut off')))
        })
      } finally {
        signal.removeEventListener('abort', stop)
        await worker.terminate()
      }
    },
  }
}
