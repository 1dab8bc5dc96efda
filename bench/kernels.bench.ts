// Every kernel on every engine, compared with the machine's peak.

import { createRandom } from '../src/core/random.ts'
import { createEngine, createWorkspace } from '../src/kernels/index.ts'
import type { Engine, Operations, Tensor } from '../src/kernels/index.ts'
import { softmax } from '../src/models/losses/softmax.ts'
import { causalConvolution } from '../src/models/tcn.ts'
import { spawnKernelWorker } from '../src/node/spawn-kernel-worker.ts'
import { clock, describeMachine, measure, median } from './measure.ts'
import type { BenchReport, BenchRow, Peak } from './measure.ts'
import { createPeak, createTwoLoops } from './peak.ts'

const REPETITIONS = 11

export async function run(): Promise<BenchReport> {
  const engines = [
    await createEngine({ kernel: 'reference' }),
    await createEngine({ kernel: 'simd128' }),
    await createEngine({ kernel: 'relaxed-simd' }),
  ]
  const peak = await createPeak()
  const rows = work.flatMap(({ name, flops, prepare }) => {
    const prepared = engines.map((engine) => [engine.name, prepare(engine)] as const)
    return measure(
      {
        case: name,
        engines: Object.fromEntries(prepared),
        ...(flops !== undefined && { flops }),
      },
      REPETITIONS,
      peak,
    )
  })
  return { machine: describeMachine(), cases: [...rows, ...(await twoThreads(peak))] }
}

interface Work {
  readonly name: string
  readonly flops?: number
  readonly prepare: (engine: Engine) => () => void
}

function filled(engine: Engine, rows: number, columns: number): Tensor {
  const random = createRandom(7).fork(`${rows}x${columns}`)
  const tensor = engine.matrix(`${rows} × ${columns}`, rows, columns)
  for (let i = 0; i < rows * columns; i++) tensor.values[i] = random.uniform() - 0.5
  return tensor
}

function product(m: number, k: number, n: number, transposeB: boolean): Work {
  return {
    name: `multiply ${m}×${k}×${n}`,
    flops: 2 * m * k * n,
    prepare(engine) {
      const a = filled(engine, m, k)
      const b = transposeB ? filled(engine, n, k) : filled(engine, k, n)
      const out = engine.matrix('out', m, n)
      return () => engine.trusted.multiply({ a, b, out, transposeB })
    },
  }
}

const [steps, batch, hidden, items] = [60, 32, 32, 1400]

const work: readonly Work[] = [
  product(512, 512, 512, false),
  product(1920, 32, 3900, true),
  product(32, 32, 96, true),
  {
    name: `GRU forward and backward ${steps}×${batch}, width ${hidden}`,
    flops: 3 * 2 * steps * batch * 3 * hidden * hidden,
    prepare: prepareGru,
  },
  {
    name: `softmax cross-entropy ${steps * batch}×${hidden}, ${items} items`,
    flops: 3 * 2 * steps * batch * hidden * items,
    prepare: prepareCrossEntropy,
  },
  { name: 'attention forward and backward 50×16, width 48, 2 heads', prepare: prepareAttention },
  { name: 'convolution forward and backward 60×32, width 32, 3 taps', prepare: prepareConvolution },
  { name: 'layer norm forward and backward 1920×32', prepare: prepareLayerNorm },
  { name: 'gather and scatter-add 1920 of 3900×32', prepare: prepareEmbedding },
  { name: 'pair scores forward and backward 1920 of 1920×32 and 3900×32', prepare: preparePairs },
  { name: 'BPR-max 128×2176', prepare: prepareBprMax },
  { name: 'Adam 3900×32', prepare: prepareAdam },
  { name: 'dot products 100000×64', prepare: (e) => scoring(e, (o, x) => o.dotRows(x)) },
  { name: 'row norms 100000×64', prepare: (e) => scoring(e, (o, x) => o.rowNorms(x)) },
  { name: 'quadratic forms 100000×64', prepare: (e) => scoring(e, (o, x) => o.quadraticForms(x)) },
  { name: 'rank-one update 100000×64', prepare: (e) => scoring(e, (o, x) => o.rankOneUpdate(x)) },
]

function prepareGru(engine: Engine): () => void {
  const sequence = steps * batch
  const weights = filled(engine, 3 * hidden, hidden)
  const forward = {
    steps,
    batch,
    inputs: filled(engine, sequence, 3 * hidden),
    weights,
    bias: filled(engine, 1, 3 * hidden),
    states: filled(engine, sequence + batch, hidden),
    gates: engine.matrix('gates', sequence, 4 * hidden),
  }
  const backward = {
    ...forward,
    dStates: filled(engine, sequence + batch, hidden),
    dInputs: engine.matrix('dInputs', sequence, 3 * hidden),
    dRecurrent: engine.matrix('dRecurrent', sequence, 3 * hidden),
    dWeights: engine.matrix('dWeights', 3 * hidden, hidden),
    dBias: engine.vector('dBias', 3 * hidden),
  }
  return () => {
    engine.trusted.gruForward(forward)
    backward.dStates.values.fill(1e-3)
    engine.trusted.gruBackward(backward)
  }
}

function prepareCrossEntropy(engine: Engine): () => void {
  const rows = steps * batch
  const positions = Int32Array.from({ length: rows }, (_, i) => i)
  const targets = {
    rows: positions,
    items: positions.map((i) => (i * 37) % items),
    rewards: new Float32Array(rows).fill(1),
  }
  const scored = {
    engine,
    workspace: createWorkspace(engine),
    theta: filled(engine, rows, hidden),
    dTheta: engine.matrix('dTheta', rows, hidden),
    items: filled(engine, items, hidden),
    dItems: engine.matrix('dItems', items, hidden),
    itemCount: items,
    itemOf: (row: number) => row,
    bias: null,
  }
  const loss = softmax()
  return () => void loss.apply(scored, targets, new Int32Array())
}

function prepareAttention(engine: Engine): () => void {
  const [time, sequences, heads, width] = [50, 16, 2, 48]
  const rows = time * sequences
  const args = {
    steps: time,
    batch: sequences,
    heads,
    qkv: filled(engine, rows, 3 * width),
    weights: engine.matrix('weights', sequences * heads * time, time),
    out: engine.matrix('out', rows, width),
    dOut: filled(engine, rows, width),
    dQkv: engine.matrix('dQkv', rows, 3 * width),
  }
  return () => {
    engine.trusted.attentionForward(args)
    engine.trusted.attentionBackward(args)
  }
}

function prepareConvolution(engine: Engine): () => void {
  const rows = steps * batch
  const workspace = createWorkspace(engine)
  const context = { engine, name: 'convolution', random: createRandom(7), workspace }
  const layer = causalConvolution(context, { width: hidden, taps: 3, dilation: 2 })
  const [x, dOut] = [filled(engine, rows, hidden), filled(engine, rows, hidden)]
  const pass = { batch: batchOf(steps, batch), random: null }
  return () => {
    layer.forward(x, pass)
    layer.backward(dOut)
  }
}

const batchOf = (length: number, sequences: number) => ({
  steps: length,
  sequences,
  rows: new Int32Array(length * sequences),
  rewards: new Float32Array(length * sequences),
  times: new Float64Array(length * sequences),
})

function prepareLayerNorm(engine: Engine): () => void {
  const rows = steps * batch
  const args = {
    epsilon: 1e-5,
    x: filled(engine, rows, hidden),
    gain: filled(engine, 1, hidden),
    bias: filled(engine, 1, hidden),
    out: engine.matrix('out', rows, hidden),
    statistics: engine.matrix('statistics', rows, 2),
    dOut: filled(engine, rows, hidden),
    dX: engine.matrix('dX', rows, hidden),
    dGain: engine.vector('dGain', hidden),
    dBias: engine.vector('dBias', hidden),
  }
  return () => {
    engine.trusted.layerNormForward(args)
    engine.trusted.layerNormBackward(args)
  }
}

function prepareEmbedding(engine: Engine): () => void {
  const [count, tableRows] = [steps * batch, 3900]
  const indices = engine.indices('indices', count)
  indices.values.forEach((_, i) => (indices.values[i] = (i * 37) % tableRows))
  const table = filled(engine, tableRows, hidden)
  const out = engine.matrix('out', count, hidden)
  return () => {
    engine.trusted.gather({ table, indices, out })
    engine.trusted.scatterAdd({ source: out, indices, table })
    // Keeps the values of the table in range over many repetitions.
    table.values.fill(0.1)
  }
}

function preparePairs(engine: Engine): () => void {
  const [count, itemCount] = [steps * batch, 3900]
  const [rowIndices, itemIndices] = [engine.indices('rows', count), engine.indices('items', count)]
  rowIndices.values.forEach((_, i) => (rowIndices.values[i] = i))
  itemIndices.values.forEach((_, i) => (itemIndices.values[i] = (i * 37) % itemCount))
  const args = {
    rows: filled(engine, count, hidden),
    items: filled(engine, itemCount, hidden),
    rowIndices,
    itemIndices,
    scores: engine.vector('scores', count),
    dScores: filled(engine, 1, count),
    dRows: engine.matrix('dRows', count, hidden),
    dItems: engine.matrix('dItems', itemCount, hidden),
  }
  return () => {
    engine.trusted.scorePairs(args)
    engine.trusted.scorePairsBackward(args)
  }
}

function prepareBprMax(engine: Engine): () => void {
  const [rows, columns] = [128, 2176]
  const targets = engine.indices('targets', rows)
  targets.values.forEach((_, i) => (targets.values[i] = i))
  // Each round uses the gradients of the previous one as scores: they stay small at the same cost.
  const args = {
    alpha: 1,
    regularization: 1,
    targets,
    weights: filled(engine, 1, rows),
    scores: filled(engine, rows, columns),
    losses: engine.vector('losses', rows),
  }
  return () => engine.trusted.bprMaxRows(args)
}

function prepareAdam(engine: Engine): () => void {
  const shape = [3900, hidden] as const
  const args = {
    rate: 1e-3,
    beta1: 0.9,
    beta2: 0.999,
    epsilon: 1e-8,
    correction1: 0.5,
    correction2: 0.1,
    gradient: filled(engine, ...shape),
    firstMoment: engine.matrix('firstMoment', ...shape),
    secondMoment: engine.matrix('secondMoment', ...shape),
    parameters: filled(engine, ...shape),
  }
  return () => engine.trusted.adam(args)
}

interface ScoringArguments {
  readonly x: Tensor
  readonly vector: Tensor
  readonly direction: Tensor
  readonly whitening: Tensor
  readonly out: Tensor
  readonly forms: Tensor
  readonly scale: number
}

function scoring(
  engine: Engine,
  call: (o: Operations, args: ScoringArguments) => void,
): () => void {
  const [rows, columns] = [100_000, 64]
  const vector = filled(engine, 1, columns)
  const out = engine.vector('out', rows)
  const args = {
    x: filled(engine, rows, columns),
    vector,
    direction: vector,
    whitening: filled(engine, columns, columns),
    out,
    forms: out,
    scale: 1e-3,
  }
  return () => call(engine.trusted, args)
}

/** The product on two threads, compared with two independent peak loops in the same rounds. */
async function twoThreads(peak: Peak): Promise<readonly BenchRow[]> {
  const engine = await createEngine({ threads: 2, spawnWorker: spawnKernelWorker })
  const single = await createEngine()
  const loops = await createTwoLoops(peak)
  const { prepare } = work[0]!
  const [one, two] = [prepare(single), prepare(engine)]
  const times = {
    oneLoop: [] as number[],
    twoLoops: [] as number[],
    one: [] as number[],
    two: [] as number[],
  }
  for (let round = 0; round < 3 * REPETITIONS; round++) {
    times.oneLoop.push(clock(peak.loop))
    times.twoLoops.push(loops.time())
    times.one.push(clock(one))
    times.two.push(clock(two))
  }
  loops.close()
  engine.close()
  const best = (values: readonly number[]) => Math.min(...values)
  const row = (engineName: string, ms: readonly number[], ratio: number): BenchRow => ({
    case: 'two threads, speed-up over one',
    engine: engineName,
    minMs: best(ms),
    medianMs: median(ms),
    ratio,
  })
  return [
    row(
      'two independent peak loops',
      times.twoLoops,
      (2 * best(times.oneLoop)) / best(times.twoLoops),
    ),
    row('multiply 512×512×512', times.two, best(times.one) / best(times.two)),
  ]
}
