// Runs a comparison in a worker, so that the page stays responsive.

import { createEngine } from '../../kernels/index.ts'
import { createComparison } from './comparison.ts'
import type { Comparison, ComparisonSetup, FromWorker, ToWorker } from './comparison.ts'

/** Milliseconds of simulation between two checks for messages. */
const turnMs = 60

let running: { comparison: Comparison; kernel: string; steps: number; ms: number } | null = null
let isPaused = false
/** The timer of the next turn. */
let timer = 0

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  isPaused = data.kind === 'pause'
  if (isPaused) post({ kind: 'paused' })
  if (data.kind === 'start') void start(data.setup)
  else schedule()
})

function schedule(): void {
  clearTimeout(timer)
  if (!isPaused) timer = self.setTimeout(turn)
}

async function start(setup: ComparisonSetup): Promise<void> {
  try {
    const engine = await createEngine()
    running = { comparison: createComparison(engine, setup), kernel: engine.name, steps: 0, ms: 0 }
    schedule()
  } catch (error) {
    post({ kind: 'failed', message: (error as Error).message })
  }
}

function turn(): void {
  if (running === null) return
  const { comparison, kernel } = running
  const begun = performance.now()
  let now = begun
  while (!comparison.isOver && now - begun < turnMs) {
    running.steps += comparison.play(1)
    now = performance.now()
  }
  running.ms += now - begun
  const { played, isOver } = comparison
  const stepsPerSecond = (1000 * running.steps) / Math.max(1, running.ms)
  const results = comparison.results()
  post({ kind: 'progress', played, isOver, results, stepsPerSecond, kernel })
  if (!isOver) schedule()
}

const post = (message: FromWorker): void => postMessage(message)
