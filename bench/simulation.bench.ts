// A thousand steps of REN-G in SYN-L with fine-tuning every five steps: the total time compared with the
// fine-tuning alone, within the same run.

import { createEngine } from '../src/kernels/index.ts'
import type { Engine } from '../src/kernels/index.ts'
import { createMethod } from '../src/recommender/index.ts'
import { createSyn, run as play } from '../src/simulation/index.ts'
import { clock, describeMachine, median } from './measure.ts'
import type { BenchReport, BenchRow } from './measure.ts'

const steps = 1000
const rounds = 5

export async function run(): Promise<BenchReport> {
  const engine = await createEngine()
  const timings = Array.from({ length: rounds }, (_, seed) => timeRun(engine, seed))
  const cases = [
    rowOf('600 fine-tune steps alone', timings, ({ learning }) => learning),
    rowOf('1000 steps of REN-G in SYN-L', timings, ({ all }) => all),
  ]
  return { machine: describeMachine(), cases }

  function rowOf(
    name: string,
    all: readonly Timing[],
    milliseconds: (timing: Timing) => number,
  ): BenchRow {
    const times = all.map(milliseconds)
    return {
      case: name,
      engine: engine.name,
      minMs: Math.min(...times),
      medianMs: median(times),
      ratio: median(all.map((timing) => milliseconds(timing) / timing.learning)),
    }
  }
}

interface Timing {
  readonly all: number
  readonly learning: number
}

function timeRun(engine: Engine, seed: number): Timing {
  const environment = createSyn({ seed, repeats: 50, steps, feedback: 'shown' })
  const recommender = createMethod(engine, 'ren-g', { itemNames: environment.itemNames, seed })
  let learning = 0
  const contestant = {
    ...recommender,
    fineTune() {
      learning += clock(() => recommender.fineTune())
    },
  }
  const all = clock(() => {
    for (const _ of play(environment, contestant)) continue
  })
  return { all, learning }
}
