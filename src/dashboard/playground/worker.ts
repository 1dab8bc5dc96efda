// Runs a race in a worker, so that the page stays responsive.

import { createEngine } from '../../kernels/index.ts'
import { createRace, type FromWorker, type Race, type RaceSetup, type ToWorker } from './race.ts'

/** Milliseconds of simulation between two checks for messages. */
const turnMs = 60

interface Running {
  readonly race: Race
  readonly kernel: string
  steps: number
  spentMs: number
}

let running: Running | null = null
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
  const { race } = running
  const begun = performance.now()
  let now = begun
  while (!race.isOver && now - begun < turnMs) {
    running.steps += race.play(1)
    now = performance.now()
  }
  running.spentMs += now - begun
  report(running)
  if (!race.isOver) schedule()
}

function report({ race, kernel, steps, spentMs }: Running): void {
  const { played, isOver } = race
  const stepsPerSecond = (1000 * steps) / Math.max(1, spentMs)
  const figures = { at: race.points(), results: race.results() }
  post({ kind: 'progress', played, isOver, ...figures, stepsPerSecond, kernel })
}

function post(message: FromWorker): void {
  postMessage(message)
}
