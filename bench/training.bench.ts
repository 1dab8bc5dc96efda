// Complete training steps, in units of the machine's peak loop, and an epoch of MovieLens-1M.

import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createRandom } from '../src/core/random.ts'
import type { Random } from '../src/core/random.ts'
import { createEngine } from '../src/kernels/index.ts'
import type { Engine } from '../src/kernels/index.ts'
import { gru4rec } from '../src/models/gru4rec.ts'
import { sasrec } from '../src/models/sasrec.ts'
import { squaredError } from '../src/models/losses/reward.ts'
import { softmax } from '../src/models/losses/softmax.ts'
import { adam, lazyAdam } from '../src/models/optimizers/optimizers.ts'
import { createSequenceModel } from '../src/models/sequence-model.ts'
import { nextItemExample } from '../src/models/training/examples.ts'
import { feedbackExample } from '../src/models/training/feedback.ts'
import { createTrainer } from '../src/models/training/trainer.ts'
import type { Example, TrainerOptions } from '../src/models/training/trainer.ts'
import type { Architecture, SequenceModel } from '../src/models/sequence-model.ts'
import { spawnKernelWorker } from '../src/node/spawn-kernel-worker.ts'
import { clock, describeMachine, median } from './measure.ts'
import type { BenchReport, BenchRow } from './measure.ts'
import { createPeak } from './peak.ts'
import { addCheckout, removeCheckout } from './quality/base-checkout.ts'
import { timeEpoch } from './training/epoch.ts'

const REPETITIONS = 40
const SHOWN = 4

type Prepare = (engine: Engine) => () => void

const work: readonly { readonly name: string; readonly prepare: Prepare }[] = [
  ...Object.entries({ GRU4Rec: gru4rec, SASRec: sasrec }).flatMap(([title, create]) =>
    [1400, 3900].map((itemCount) => ({
      name: `W1: ${title} 32×60, softmax, K=${itemCount}`,
      prepare: (engine: Engine) =>
        trainStep(engine, create({ dimension: 32, window: 60 }), itemCount),
    })),
  ),
  { name: 'fine-tune 15×60, 4 shown, K=1400', prepare: (e) => fineTuneStep(e, 1400, adam) },
  ...[10_000, 400_000].map((itemCount) => ({
    name: `row-sparse fine-tune, K=${itemCount}`,
    prepare: (engine: Engine) => fineTuneStep(engine, itemCount, lazyAdam),
  })),
]

/**
 * @param flags `--base COMMIT` compares the epoch with that commit; `--no-epoch` skips it, and
 *   `--no-reference` skips the times of the reference.
 */
export async function run(flags: readonly string[]): Promise<BenchReport> {
  const { values } = parseArgs({
    args: [...flags],
    options: {
      base: { type: 'string' },
      json: { type: 'boolean' },
      'no-epoch': { type: 'boolean' },
      'no-reference': { type: 'boolean' },
    },
  })
  const steps = await measureSteps(values['no-reference'] !== true)
  const epoch = values['no-epoch'] === true ? [] : await epochRows(values.base ?? null)
  return { machine: describeMachine(), cases: [...steps, ...epoch] }
}

/** Steps on one thread and on as many as the machine has, in turns. */
async function measureSteps(withReference: boolean): Promise<readonly BenchRow[]> {
  const counts = [1, 2, 4, 8].filter((count) => count <= availableParallelism())
  const most = Math.max(...counts)
  let active = most
  const one = await createEngine()
  const many = await createEngine({
    threads: most,
    spawnWorker: spawnKernelWorker,
    activeThreads: () => active,
  })
  const reference = withReference ? await createEngine({ kernel: 'reference' }) : null
  const peak = await createPeak()
  const units: number[] = []
  const measured = work.map(({ name, prepare }) => {
    const [alone, shared] = [prepare(one), prepare(many)]
    const steps = counts.map((threads) => (threads === 1 ? alone : shared))
    for (const step of [...steps, ...steps]) for (let i = 0; i < 5; i++) step()
    const times = counts.map(() => [] as number[])
    for (let round = 0; round < REPETITIONS; round++) {
      units.push(clock(peak.loop))
      for (const [i, step] of steps.entries()) {
        active = counts[i]!
        times[i]!.push(clock(step))
      }
    }
    const referenceMs = reference && clock(prepare(reference))
    return { name, times, referenceMs }
  })
  many.close()
  const unit = Math.min(...units)
  return [
    rowOf('unit: 268 MFLOP in registers', 'peak loop', units, 1, unit),
    ...measured.flatMap(({ name, times, referenceMs }) => [
      ...(referenceMs === null ? [] : [rowOf(name, 'reference', [referenceMs], 1, unit)]),
      ...times.map((ms, i) => {
        const [threads, best] = [counts[i]!, Math.min(...ms)]
        const compared = threads === 1 ? (referenceMs ?? best) : Math.min(...times[0]!)
        const engine = threads === 1 ? one.name : `${threads} threads`
        return rowOf(name, engine, ms, compared / best, unit)
      }),
    ]),
  ]
}

function rowOf(
  name: string,
  engine: string,
  ms: readonly number[],
  ratio: number,
  unit: number,
): BenchRow {
  const minMs = Math.min(...ms)
  return { case: name, engine, minMs, medianMs: median(ms), ratio, units: minMs / unit }
}

/** Rows whose ratio is the speedup over the first side. */
async function epochRows(commit: string | null): Promise<readonly BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ren-epoch-'))
  const base = commit === null ? null : addCheckout(commit, folder)
  try {
    const times = await timeEpoch(base)
    return times.map(({ side, milliseconds, eventsPerSecond }) => ({
      case: `epoch of MovieLens-1M, GRU4Rec d=64, ${Math.round(eventsPerSecond)} events/s`,
      engine: side,
      minMs: milliseconds,
      medianMs: milliseconds,
      ratio: times[0]!.milliseconds / milliseconds,
    }))
  } finally {
    if (base !== null) removeCheckout(base)
    rmSync(folder, { recursive: true })
  }
}

// Both catalog sizes use the same number of items, spread over the catalog.
const TOUCHED = 3000
const anyItem = (random: Random, itemCount: number): number => {
  const distinct = Math.min(TOUCHED, itemCount)
  return Math.floor((random.integer(distinct) * itemCount) / distinct)
}

function histories(count: number, length: number, itemCount: number) {
  const random = createRandom(5)
  return Array.from({ length: count }, () => ({
    items: Int32Array.from({ length }, () => anyItem(random, itemCount)),
    rewards: Float32Array.from({ length }, () => random.uniform()),
    times: Float64Array.from({ length }, (_, i) => i),
  }))
}

function stepOf(model: SequenceModel, options: TrainerOptions, example: Example): () => void {
  const trainer = createTrainer(model, options)
  const random = createRandom(2)
  return () => void trainer.step(example, random)
}

/** 32 sequences of 60 positions, each predicting the next item among all K. */
function trainStep(engine: Engine, architecture: Architecture, itemCount: number): () => void {
  const model = createSequenceModel(engine, architecture, itemCount, createRandom(1))
  const optimizer = adam(engine, model.workspace)
  const example = nextItemExample(histories(32, 60, itemCount), architecture.withStart)
  return stepOf(model, { loss: softmax(), optimizer }, example)
}

/** The last 60 events of 15 users, with the squared error of 4 shown items at each. */
function fineTuneStep(engine: Engine, itemCount: number, createOptimizer: typeof adam): () => void {
  const model = createSequenceModel(engine, gru4rec(), itemCount, createRandom(1))
  const random = createRandom(6)
  const feedback = histories(15, 60, itemCount).map((history) => ({
    history,
    observations: Array.from({ length: 60 * SHOWN }, (_, i) => ({
      after: Math.floor(i / SHOWN),
      item: anyItem(random, itemCount),
      reward: random.uniform(),
    })),
  }))
  const optimizer = createOptimizer(engine, model.workspace, { rate: 0.002 })
  const example = feedbackExample(feedback, model.architecture)
  return stepOf(model, { loss: squaredError(), optimizer, clip: 5 }, example)
}
