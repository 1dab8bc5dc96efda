// Complete training steps, in units of the machine's peak loop.

import { createRandom } from '../src/core/random.ts'
import type { Random } from '../src/core/random.ts'
import { createEngine } from '../src/kernels/index.ts'
import type { Engine } from '../src/kernels/index.ts'
import { gru4rec } from '../src/models/gru4rec.ts'
import { squaredError } from '../src/models/losses/reward.ts'
import { softmax } from '../src/models/losses/softmax.ts'
import { adam, lazyAdam } from '../src/models/optimizers/optimizers.ts'
import { createSequenceModel } from '../src/models/sequence-model.ts'
import { nextItemExample } from '../src/models/training/examples.ts'
import { feedbackExample } from '../src/models/training/feedback.ts'
import { createTrainer } from '../src/models/training/trainer.ts'
import type { Example, TrainerOptions } from '../src/models/training/trainer.ts'
import type { SequenceModel } from '../src/models/sequence-model.ts'
import { clock, describeMachine, median } from './measure.ts'
import type { BenchReport, BenchRow } from './measure.ts'
import { createPeak } from './peak.ts'

const REPETITIONS = 40
const SHOWN = 4

export async function run(): Promise<BenchReport> {
  const simd = await createEngine()
  const reference = await createEngine({ kernel: 'reference' })
  const steps = [
    { name: 'W1: GRU4Rec 32×60, softmax, K=1400', prepare: (e: Engine) => trainStep(e, 1400) },
    { name: 'W1: GRU4Rec 32×60, softmax, K=3900', prepare: (e: Engine) => trainStep(e, 3900) },
    {
      name: 'fine-tune 15×60, 4 shown, K=1400',
      prepare: (e: Engine) => fineTuneStep(e, 1400, adam),
    },
    {
      name: 'row-sparse fine-tune, K=10000',
      prepare: (e: Engine) => fineTuneStep(e, 10_000, lazyAdam),
    },
    {
      name: 'row-sparse fine-tune, K=400000',
      prepare: (e: Engine) => fineTuneStep(e, 400_000, lazyAdam),
    },
  ]
  const peak = await createPeak()
  const work = steps.map(({ name, prepare }) => ({
    name,
    step: prepare(simd),
    slow: prepare(reference),
  }))
  for (const { step } of work) for (let i = 0; i < 10; i++) step()
  const times = work.map(() => [] as number[])
  const units: number[] = []
  for (let round = 0; round < REPETITIONS; round++) {
    units.push(clock(peak.loop))
    for (const [i, { step }] of work.entries()) times[i]!.push(clock(step))
  }
  const unit = Math.min(...units)
  const rows = work.flatMap(({ name, slow }, i): BenchRow[] => {
    const referenceMs = clock(slow)
    const minMs = Math.min(...times[i]!)
    return [
      {
        case: name,
        engine: 'reference',
        minMs: referenceMs,
        medianMs: referenceMs,
        ratio: 1,
        units: referenceMs / unit,
      },
      {
        case: name,
        engine: simd.name,
        minMs,
        medianMs: median(times[i]!),
        ratio: referenceMs / minMs,
        units: minMs / unit,
      },
    ]
  })
  const peakRow = {
    case: 'unit: 268 MFLOP in registers',
    engine: 'peak loop',
    minMs: unit,
    medianMs: median(units),
    ratio: 1,
    units: 1,
  }
  return { machine: describeMachine(), cases: [peakRow, ...rows] }
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

function createModel(engine: Engine, itemCount: number): SequenceModel {
  return createSequenceModel(engine, gru4rec(), itemCount, createRandom(1))
}

function stepOf(model: SequenceModel, options: TrainerOptions, example: Example): () => void {
  const trainer = createTrainer(model, options)
  const random = createRandom(2)
  return () => void trainer.step(example, random)
}

/** 32 sequences of 60 positions, each predicting the next item among all K. */
function trainStep(engine: Engine, itemCount: number): () => void {
  const model = createModel(engine, itemCount)
  const optimizer = adam(engine, model.workspace)
  const example = nextItemExample(histories(32, 60, itemCount), true)
  return stepOf(model, { loss: softmax(), optimizer }, example)
}

/** The last 60 events of 15 users, with the squared error of 4 shown items at each. */
function fineTuneStep(engine: Engine, itemCount: number, createOptimizer: typeof adam): () => void {
  const model = createModel(engine, itemCount)
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
