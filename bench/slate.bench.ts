// Slates by REN's score: complete requests of the lazy exact policy, compared with a naive incremental
// SIMD version (which updates μᵀA⁻¹μ of every item after every pick) and with the naive reference.
// Then requests as in a service.

import { existsSync } from 'node:fs'

import { createRandom } from '../src/core/random.ts'
import { byUser } from '../src/core/log.ts'
import { leaveOneOut, readDataset } from '../src/datasets/index.ts'
import { createPolicy } from '../src/exploration/index.ts'
import { PairMemory } from '../src/exploration/pair-memory.ts'
import { createRenPolicy } from '../src/exploration/ren.ts'
import { RewardModel } from '../src/exploration/reward-model.ts'
import type { Decision, RewardEvidence } from '../src/core/types.ts'
import { bonus, createEngine, growWhitening, whiten, whiteningOf } from '../src/kernels/index.ts'
import type { Engine } from '../src/kernels/index.ts'
import { adam, createSequenceModel, finish, gru4rec, softmax, train } from '../src/models/index.ts'
import { clock, describeMachine, median } from './measure.ts'
import type { BenchReport, BenchRow } from './measure.ts'
import { measureRequests } from './served-requests.ts'

interface World {
  readonly name: string
  readonly vectors: (engine: Engine) => Pick<Decision, 'items' | 'userEmbedding'>
  readonly visits: number
  readonly slate: number
  readonly diversityWeights: readonly number[]
  readonly candidates?: number
  readonly sequential: boolean
  readonly rounds: number
}

export async function run(): Promise<BenchReport> {
  const engine = await createEngine()
  const reference = await createEngine({ kernel: 'reference' })
  const worlds: World[] = [
    world('100 of 8000, d=50 (the paper: 175 ms)', 8000, 50, {
      slate: 100,
      diversityWeights: [1, 5],
      rounds: 60,
    }),
    world('10 of 1400, d=32', 1400, 32, { slate: 10, diversityWeights: [1], rounds: 200 }),
    world('25 candidates of 1400, d=32', 1400, 32, {
      slate: 10,
      diversityWeights: [1],
      candidates: 25,
      rounds: 200,
    }),
    world('10 of 1000000, d=64', 1_000_000, 64, {
      slate: 10,
      diversityWeights: [1],
      sequential: false,
      rounds: 15,
    }),
  ]
  // The worst case: only the bonus decides and all norms are equal, so bounds exclude nothing.
  worlds.push({
    ...world('hard: unit norms, θ=0, 100 of 8000, d=50', 8000, 50, {
      slate: 100,
      diversityWeights: [1],
      rounds: 10,
    }),
    vectors: (e) => unitNorms(clustered(e, 8000, 50)),
  })
  const trained = await trainedWorld()
  if (trained !== null) worlds.push(trained)
  const rows = worlds.flatMap((w) =>
    w.diversityWeights.flatMap((weight) => measureWorld(engine, reference, w, weight)),
  )
  const hierarchical = measureHierarchical(engine)
  return {
    machine: describeMachine(),
    cases: [...rows, ...hierarchical, ...measureRequests(engine)],
  }
}

/** `hierarchical` after 2,000 slates, 6 of them of this user, compared with a dot-product pass. */
function measureHierarchical(engine: Engine): BenchRow[] {
  const million = world('hierarchical: 10 of 1000000, d=64', 1_000_000, 64, {
    slate: 10,
    diversityWeights: [],
    rounds: 15,
  })
  const decision = decide(engine, million)
  const rewardEvidence = evidenceAfter(2000, decision.items.rows, million.visits)
  const policy = createPolicy(engine, 'hierarchical')
  const plain = dotPass(engine, decision)
  const times = { request: [] as number[], plain: [] as number[] }
  for (let round = 0; round < million.rounds; round++) {
    times.plain.push(clock(plain))
    const request = () => policy.choose({ ...decision, rewardEvidence }, million.slate)
    times.request.push(clock(request))
  }
  const unit = Math.min(...times.plain)
  return Object.entries(times).map(([name, ms]) => ({
    case: million.name,
    engine: name === 'plain' ? 'plain dot products' : 'one pass',
    minMs: Math.min(...ms),
    medianMs: median(ms),
    ratio: unit / Math.min(...ms),
    timesDot: Math.min(...ms) / unit,
  }))
}

/** What a reward model knows after slates of ten with one click each; the user saw `visits` items. */
function evidenceAfter(slates: number, itemCount: number, visits: number): RewardEvidence {
  const random = createRandom(5)
  const model = new RewardModel('sum', itemCount)
  const ofUser = new PairMemory()
  for (let slate = 0; slate < slates; slate++) {
    const memory = slate < visits / 10 ? ofUser : new PairMemory()
    const items = random.choose(10, itemCount)
    const seen = { items, rewards: new Float32Array(10).fill(Number.NaN) }
    model.offered(
      memory,
      items,
      Array.from(items, () => random.normal()),
    )
    model.shown(memory, seen)
    model.answered(memory, seen, random.integer(10), 1)
  }
  return model.evidenceOf(ofUser, visits / 10)
}

function world(
  name: string,
  itemCount: number,
  dimension: number,
  more: Pick<World, 'slate' | 'diversityWeights' | 'rounds'> & Partial<World>,
): World {
  return {
    name,
    visits: 60,
    sequential: true,
    vectors: (engine) => clustered(engine, itemCount, dimension),
    ...more,
  }
}

/** Forty clusters, log-normal norms, relevance with a standard deviation of about 1.5. */
function clustered(engine: Engine, itemCount: number, dimension: number) {
  const random = createRandom(11)
  const centers = Array.from({ length: 40 * dimension }, () => random.normal())
  const items = engine.matrix('items', itemCount, dimension)
  const { values } = items
  for (let k = 0; k < itemCount; k++) {
    const center = random.integer(40) * dimension
    const scale = Math.exp(0.3 * random.normal()) / Math.sqrt(dimension)
    for (let j = 0; j < dimension; j++) {
      values[k * dimension + j] = scale * (centers[center + j]! + 0.6 * random.normal())
    }
  }
  return {
    items,
    userEmbedding: Float32Array.from({ length: dimension }, () => 1.3 * random.normal()),
  }
}

function unitNorms({ items, userEmbedding }: ReturnType<typeof clustered>) {
  const { values, columns, rows } = items
  for (let k = 0; k < rows; k++) {
    const row = values.subarray(k * columns, (k + 1) * columns)
    const norm = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0))
    for (let j = 0; j < columns; j++) row[j]! /= norm
  }
  return { items, userEmbedding: userEmbedding.fill(0) }
}

/** Embeddings trained on MovieLens-1M, if the data is available. */
async function trainedWorld(): Promise<World | null> {
  const folder = process.env['REN_DATA'] ?? new URL('../../shared/data', import.meta.url).pathname
  if (!existsSync(folder)) {
    console.error(`no data in ${folder} (REN_DATA): the trained embeddings are left out`)
    return null
  }
  const { log } = await readDataset('movielens-1m-sequences', folder)
  const histories = byUser(leaveOneOut(log).train)
  const vectors = (engine: Engine) => {
    const model = createSequenceModel(
      engine,
      gru4rec({ dimension: 32 }),
      log.itemNames.length,
      createRandom(1),
    )
    const optimizer = adam(engine, model.workspace, { rate: 0.005 })
    const options = {
      loss: softmax(),
      optimizer,
      epochs: 1,
      batchSize: 32,
      random: createRandom(2),
      clock: () => performance.now(),
    }
    finish(train(model, histories.slice(0, 1500), options))
    const userEmbedding = new Float32Array(32)
    model.userEmbedding(histories[0]!, userEmbedding)
    return { items: model.itemEmbeddings, userEmbedding }
  }
  return {
    name: 'MovieLens-1M, 10 of 3416, d=32',
    vectors,
    visits: 60,
    sequential: true,
    slate: 10,
    diversityWeights: [1],
    rounds: 100,
  }
}

function measureWorld(
  engine: Engine,
  reference: Engine,
  w: World,
  diversityWeight: number,
): BenchRow[] {
  const decision = decide(engine, w)
  const weights = { diversityWeight, uncertaintyWeight: 0.3 }
  const lazy = lazyRequest(engine, decision, w, weights)
  const setUp = lazyRequest(engine, { ...decision, candidates: Int32Array.of(0) }, w, weights)
  const naive = naiveRequest(engine, decision, w, weights)
  const plain = dotPass(engine, decision)
  requireExact(w.name, lazy(), exactSlate(reference, decision, w, weights))
  const work = { naive, lazy, setUp, plain }
  const times = new Map(Object.keys(work).map((name) => [name, [] as number[]]))
  for (let round = 0; round < w.rounds; round++) {
    for (const [name, request] of Object.entries(work)) times.get(name)!.push(clock(request))
  }
  const least = (name: string) => Math.min(...times.get(name)!)
  const row = (engineName: string, name: string): BenchRow => ({
    case: `${w.name}, λ_d=${diversityWeight}`,
    engine: engineName,
    minMs: least(name),
    medianMs: median(times.get(name)!),
    ratio: least('naive') / least(name),
    timesDot: least(name) / least('plain'),
  })
  return [
    row('naive incremental SIMD', 'naive'),
    row('lazy exact', 'lazy'),
    row('of it, set-up (A and its factor)', 'setUp'),
    row('plain dot products', 'plain'),
  ]
}

/** Scores every item in float64 before every pick; in one pass if A does not change. */
function exactSlate(
  reference: Engine,
  decision: Decision,
  w: World,
  weights: Weights,
): readonly number[] {
  const { items, visited, userEmbedding, uncertainty } = decision
  if (items.rows <= 10_000) return referenceRequest(reference, decision, w, weights)()
  if (w.sequential) throw new Error(`${w.name}: too large to check pick by pick`)
  const row = (k: number) => items.values.subarray(k * items.columns, (k + 1) * items.columns)
  const whitening = whiteningOf(items.columns, Array.from(visited, row))
  const scores = Float64Array.from({ length: items.rows }, (_, k) => {
    const relevance = userEmbedding.reduce((sum, value, j) => sum + value * row(k)[j]!, 0)
    const diversity = bonus(items.columns, whitening, row(k))
    return (
      relevance + weights.diversityWeight * diversity + weights.uncertaintyWeight * uncertainty[k]!
    )
  })
  const order = Int32Array.from({ length: items.rows }, (_, k) => k)
  return [...order.toSorted((a, b) => scores[b]! - scores[a]!).subarray(0, w.slate)]
}

function requireExact(name: string, lazy: readonly number[], exact: readonly number[]): void {
  const differing = lazy.filter((item, i) => item !== exact[i]).length
  if (differing > 0 || lazy.length !== exact.length) {
    throw new Error(`${name}: ${differing} of ${lazy.length} slots differ from the exact slate`)
  }
}

function decide(engine: Engine, w: World): Decision {
  const random = createRandom(3)
  const { items, userEmbedding } = w.vectors(engine)
  const candidates = w.candidates === undefined ? null : random.choose(w.candidates, items.rows)
  return {
    items,
    itemsVersion: 1,
    userEmbedding,
    visited: Int32Array.from({ length: w.visits }, () => random.integer(items.rows)),
    rewards: new Float32Array(w.visits),
    uncertainty: Float32Array.from(
      { length: items.rows },
      () => 1 / Math.sqrt(1 + random.integer(50)),
    ),
    impressions: new Float32Array(items.rows),
    interactions: new Float32Array(items.rows),
    candidates,
    excluded: new Int32Array(),
    random,
  }
}

type Weights = { readonly diversityWeight: number; readonly uncertaintyWeight: number }

function lazyRequest(
  engine: Engine,
  decision: Decision,
  w: World,
  weights: Weights,
): () => readonly number[] {
  const policy = createRenPolicy(engine, { weights, slate: w.sequential ? 'sequential' : 'top' })
  return () => policy.choose(decision, w.slate).items.map(({ item }) => item)
}

function referenceRequest(
  reference: Engine,
  decision: Decision,
  w: World,
  weights: Weights,
): () => readonly number[] {
  const items = reference.matrix('items', decision.items.rows, decision.items.columns)
  items.values.set(decision.items.values)
  return lazyRequest(reference, { ...decision, items }, w, weights)
}

/** Updates μᵀA⁻¹μ of every item by a rank-one pass after each pick, in float32, so near-ties may differ. */
function naiveRequest(
  engine: Engine,
  decision: Decision,
  w: World,
  weights: Weights,
): () => readonly number[] {
  const { columns } = decision.items
  const chosen = decision.candidates ?? null
  const items = chosen === null ? decision.items : engine.matrix('some', chosen.length, columns)
  const rows = items.rows
  const label = (row: number) => chosen?.[row] ?? row
  const row = (k: number) => decision.items.values.subarray(k * columns, (k + 1) * columns)
  if (chosen !== null) for (const [i, k] of chosen.entries()) items.values.set(row(k), i * columns)
  const user = engine.vector('user', columns)
  const relevance = engine.vector('relevance', rows)
  const forms = engine.vector('forms', rows)
  const scores = engine.vector('scores', rows)
  const whitening = engine.matrix('whitening', columns, columns)
  const direction = engine.vector('direction', columns)
  return () => {
    user.values.set(decision.userEmbedding)
    const matrix = whiteningOf(columns, Array.from(decision.visited, row))
    whitening.values.set(matrix)
    engine.trusted.dotRows({ x: items, vector: user, out: relevance })
    engine.trusted.quadraticForms({ x: items, whitening, out: forms })
    // Relevance and uncertainty do not change between picks.
    const base = relevance.values
    for (let k = 0; k < rows; k++)
      base[k]! += weights.uncertaintyWeight * decision.uncertainty[label(k)]!
    const lambda = weights.diversityWeight
    const picks: number[] = []
    while (picks.length < Math.min(w.slate, rows)) {
      const [f, s] = [forms.values, scores.values]
      for (let k = 0; k < rows; k++) s[k] = base[k]! + lambda * Math.sqrt(f[k]!)
      let pick = 0
      for (let k = 1; k < rows; k++) if (s[k]! > s[pick]!) pick = k
      picks.push(label(pick))
      base[pick] = -3e38
      if (!w.sequential) continue
      const x = items.values.subarray(pick * columns, (pick + 1) * columns)
      const y = whiten(columns, matrix, x)
      // direction = A⁻¹x = Wᵀy
      const along = direction.values.fill(0)
      for (let i = 0; i < columns; i++) {
        for (let j = 0; j <= i; j++) along[j]! += matrix[i * columns + j]! * y[i]!
      }
      const scale = 1 / (1 + y.reduce((sum, v) => sum + v * v, 0))
      engine.trusted.rankOneUpdate({ scale, x: items, direction, forms })
      growWhitening(columns, matrix, x)
    }
    return picks
  }
}

function dotPass(engine: Engine, { items, userEmbedding }: Decision): () => void {
  const vector = engine.vector('user', items.columns)
  vector.values.set(userEmbedding)
  const out = engine.vector('scores', items.rows)
  return () => engine.trusted.dotRows({ x: items, vector, out })
}
