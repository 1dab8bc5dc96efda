// The unit of the benchmarks: a loop of 128-bit multiply-adds that uses only registers.

import { Worker } from 'node:worker_threads'

import { compileAssembly, features } from '../scripts/compile-assembly.ts'
import { bestBuild } from '../src/kernels/simd.ts'
import { clock } from './measure.ts'
import type { Peak } from './measure.ts'

export const PEAK_FLOPS = 2 * 512 ** 3 // as much as a 512³ product: 268 MFLOP
const FLOPS_AN_ITERATION = 96
const WARM_UP = 2000

type PeakLoop = (iterations: number, left: number, right: number) => number

/** The loop on this thread. It starts with short calls, because a long first call would stay in the slow compiler tier. */
export async function createPeak(): Promise<Peak> {
  const build = bestBuild()
  if (build === undefined) throw new Error('the benchmarks need a runtime with SIMD')
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 65_536 })
  const bytes = await compileAssembly('bench/assembly/peak.ts', features[build])
  const { instance } = await WebAssembly.instantiate(bytes, { env: { memory } })
  const { peak } = instance.exports as unknown as { peak: PeakLoop }
  for (let i = 0; i < WARM_UP; i++) peak(1000, 0.5, 0.25)
  const iterations = PEAK_FLOPS / FLOPS_AN_ITERATION
  return { flops: PEAK_FLOPS, loop: () => void peak(iterations, 0.5, 0.25) }
}

export interface TwoLoops {
  /** The milliseconds until both loops, started together, have finished. */
  readonly time: () => number
  readonly close: () => void
}

/** The loop on two threads at once, which shows the speedup of a second thread on this machine. */
export async function createTwoLoops(peak: Peak): Promise<TwoLoops> {
  const control = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(new URL('./peak-worker.ts', import.meta.url), { workerData: control })
  await new Promise((ready) => worker.once('message', ready))
  const both = () => {
    const requested = Atomics.add(control, 0, 1) + 1
    Atomics.notify(control, 0)
    peak.loop()
    while (Atomics.load(control, 1) !== requested);
  }
  return { time: () => clock(both), close: () => void worker.terminate() }
}
