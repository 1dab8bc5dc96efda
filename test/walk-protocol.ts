// A fast protocol of random walks, for tests of the experiment runner.

import { setTimeout } from 'node:timers/promises'

import { RenError } from '../src/core/errors.ts'
import { createRandom } from '../src/core/random.ts'
import type { Protocol, RunJob, RunRow } from '../src/experiments/protocol.ts'

/** The URL of this module, as a registry of protocols. */
export const walkRegistry = import.meta.url

const known = new Set(['steps', 'drift', 'pause', 'fails'])

/** Settings: `pause` is in milliseconds per step; `fails` is the seed of a failing run. */
const walk: Protocol = {
  check({ settings, world }) {
    const stray = Object.keys({ ...settings, ...world }).find((name) => !known.has(name))
    if (stray !== undefined) throw new RenError('plan-invalid', `unknown setting ${stray}`)
  },
  async run(job, progress) {
    const { steps = 5, drift = 0, pause = 0, fails = -1 } = settingsOf(job)
    const random = createRandom(job.seed)
    const places: number[] = []
    for (let step = 1; step <= steps; step++) {
      if (pause > 0) await setTimeout(pause)
      places.push((places.at(-1) ?? 0) + drift + random.normal())
      progress(step / steps)
    }
    if (job.seed === fails) throw new RenError('non-finite-result', 'it fell off the edge')
    return rowOf(job, places)
  },
}

export const protocols = { walk }

const settingsOf = ({ settings, world }: RunJob) =>
  ({ ...world, ...settings }) as Readonly<Partial<Record<string, number>>>

const rowOf = ({ panel, label, seed }: RunJob, places: readonly number[]): RunRow => ({
  panel,
  seed,
  method: label,
  at: places.map((_, i) => i + 1),
  series: { place: places },
  measures: { end: places.at(-1)! },
  milliseconds: 1,
})
