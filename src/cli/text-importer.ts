// Imports logs that arrive over HTTP. A thread reads and writes them, so that no request waits.

import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

import { Thread } from '../node/thread.ts'
import type { Importer } from '../service/runs.ts'
import type { ImportCalls } from './import-thread.ts'

/** @param store The path of the store. The service reads new events of its log from any process. */
export function createTextImporter(store: string): Importer {
  return {
    async start(request, onProgress, signal) {
      const url = new URL(`./import-thread${extname(import.meta.url)}`, import.meta.url)
      const thread = new Thread<ImportCalls>(new Worker(url), 'the import')
      try {
        return await thread.call('importText', { store, request }, { onProgress, signal })
      } finally {
        await thread.end()
      }
    },
  }
}
