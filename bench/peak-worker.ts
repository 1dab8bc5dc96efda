// The second of two independent peak loops.

import { parentPort, workerData } from 'node:worker_threads'

import { createPeak } from './peak.ts'

const control = workerData as Int32Array
const peak = await createPeak()
parentPort!.postMessage('ready')
for (let seen = 0; ; seen++) {
  while (Atomics.load(control, 0) === seen) Atomics.wait(control, 0, seen, 1)
  peak.loop()
  Atomics.store(control, 1, seen + 1)
}
