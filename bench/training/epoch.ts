// One epoch of MovieLens-1M with GRU4Rec (d=64, window 200, batches of 32), on one thread, on more
// threads, and on one thread of an earlier commit. The sides take turns by step in one process.

import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { checkout } from '../../scripts/checkout.ts'
import type { History } from '../../src/models/index.ts'
import { readLines } from '../quality/hold-out.ts'

/** The time of the steps of one side, and its loss, which shows that the sides did the same work. */
export interface EpochTime {
  readonly side: string
  readonly milliseconds: number
  readonly eventsPerSecond: number
  readonly loss: number
}

interface Side {
  readonly name: string
  /** The checkout whose engine and models run. */
  readonly root: string
  readonly threads: number
}

const file = join(
  process.env['REN_DATA'] ?? join(checkout, '../shared/data'),
  'ml-1m/sasrec_ml-1m.txt.gz',
)

/** @param base A checkout of the earlier commit, if any. */
export async function timeEpoch(base: string | null): Promise<readonly EpochTime[]> {
  if (!existsSync(file)) return []
  const { histories, itemCount } = await readHistories()
  const all = [1, 2, 4, 8].filter((threads) => threads <= availableParallelism())
  const own = all.map((threads) => ({ name: `${threads} threads`, root: checkout, threads }))
  const earlier =
    base === null ? [] : [{ name: 'earlier commit, 1 thread', root: base, threads: 1 }]
  const sides: readonly Side[] = [...earlier, ...own]
  const runs = await Promise.all(sides.map((side) => openRun(side, histories, itemCount)))
  // All sides have the same number of steps, and each ends in its last one.
  while (runs.map((run) => run.step()).every(Boolean));
  return runs.map((run, i) => ({ side: sides[i]!.name, ...run.result() }))
}

type Modules = [
  typeof import('../../src/core/random.ts'),
  typeof import('../../src/kernels/index.ts'),
  typeof import('../../src/models/index.ts'),
  typeof import('../../src/node/index.ts'),
]

async function openRun({ root, threads }: Side, histories: readonly History[], itemCount: number) {
  const names = ['core/random.ts', 'kernels/index.ts', 'models/index.ts', 'node/index.ts']
  const modules = (await Promise.all(
    names.map((name) => import(join(root, 'src', name))),
  )) as Modules
  const [{ createRandom }, { createEngine }, models, { spawnKernelWorker }] = modules
  const engine = await createEngine({ threads, spawnWorker: spawnKernelWorker })
  const architecture = models.gru4rec({ dimension: 64, window: 200 })
  const model = models.createSequenceModel(engine, architecture, itemCount, createRandom(1))
  const training = models.train(model, histories, {
    epochs: 1,
    batchSize: 32,
    loss: models.softmax(),
    optimizer: models.adam(engine, model.workspace, { rate: 0.004 }),
    random: createRandom(2),
    clock: () => performance.now(),
  })
  let milliseconds = 0
  let [events, loss] = [0, 0]
  return {
    /** Returns false after the last step. */
    step(): boolean {
      const start = performance.now()
      const { done, value } = training.next()
      milliseconds += performance.now() - start
      if (done !== true) return true
      ;({ events, loss } = value)
      engine.close()
      return false
    },
    result: () => ({ milliseconds, loss, eventsPerSecond: (1000 * events) / milliseconds }),
  }
}

async function readHistories(): Promise<{ histories: History[]; itemCount: number }> {
  const byUser = new Map<string, number[]>()
  let itemCount = 0
  for (const line of await readLines(file)) {
    const [user, item] = line.split(' ') as [string, string]
    const items = byUser.get(user) ?? []
    byUser.set(user, items)
    items.push(Number(item) - 1)
    itemCount = Math.max(itemCount, Number(item))
  }
  const histories = Array.from(byUser.values(), (items) => ({
    items: Int32Array.from(items),
    rewards: new Float32Array(items.length).fill(1),
    times: Float64Array.from(items, (_, i) => i),
  }))
  return { histories, itemCount }
}
