// Runs a race in a worker, so that the page stays responsive.

import { createEngine } from '../../kernels/index.ts'
import { createRace, type FromWorker, type Race, type RaceSetup, type ToWorker } from './race.ts'

/** Milliseconds of simulation between two checks for messages. */
const turnMs = 60

let running: { race: Race; kernel: string; steps: number; spentMs: number } | null = null
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

async function start(setup: RaceSetup): Promise<void> {
  try {
    const engine = await createEngine()
    running = { race: createRace(engine, setup), kernel: engine.name, steps: 0, spentMs: 0 }
    schedule()
  } catch (error) {
    post({ kind: 'failed', message: (error as Error).message })
  }
}

function turn(): void {
  if (running === null) return
  const { race, kernel } = running
  const begun = performance.now()
  let now = begun
  while (!race.isOver && now - begun < turnMs) {
    running.steps += race.play(1)
    now = performance.now()
  }
  running.spentMs += now - begun
  const { played, isOver } = race
  const stepsPerSecond = (1000 * running.steps) / Math.max(1, running.spentMs)
  const figures = { at: race.points(), results: race.results() }
  post({ kind: 'progress', played, isOver, ...figures, stepsPerSecond, kernel })
  if (!isOver) schedule()
}

const post = (message: FromWorker): void => postMessage(message)
