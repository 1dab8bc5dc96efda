// Known bugs of third-party implementations of GRU4Rec, with one test per bug. The list follows Hidasi
// and Czapp, "The Effect of Third Party Implementations on Reproducibility" (RecSys 2023).

import { beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../src/core/random.ts'
import { sortLog } from '../src/core/log.ts'
import { splitByTime } from '../src/datasets/splits.ts'
import { rankOf } from '../src/evaluation/next-item.ts'
import { createEngine } from '../src/kernels/index.ts'
import type { Engine } from '../src/kernels/index.ts'
import { createCatalogScorer } from '../src/models/catalog-scorer.ts'
import { gru4recParity } from '../src/models/gru4rec-parity.ts'
import type { Loss, Scored } from '../src/models/losses/loss.ts'
import { sampled } from '../src/models/losses/sampled.ts'
import type { SampledOptions } from '../src/models/losses/sampled.ts'
import { adagrad } from '../src/models/optimizers/optimizers.ts'
import { createParameter } from '../src/models/parameter.ts'
import { createSequenceModel } from '../src/models/sequence-model.ts'
import type { SequenceModel } from '../src/models/sequence-model.ts'
import { trainSessionParallel, walkSessions } from '../src/models/training/session-parallel.ts'
import { finish } from '../src/models/training/train.ts'
import { createTrainer } from '../src/models/training/trainer.ts'
import type { Example } from '../src/models/training/trainer.ts'
import { createWorkspace } from '../src/kernels/index.ts'
import type { Workspace } from '../src/kernels/index.ts'
import { openScored } from './check-loss.ts'
import { expectClose } from './kernel-workspace.ts'
import { recordGradients } from './record-gradients.ts'

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})

type ParityOptions = Parameters<typeof gru4recParity>[0]

const open = (itemCount: number, options: ParityOptions = {}): SequenceModel =>
  createSequenceModel(engine, gru4recParity(options), itemCount, createRandom(1))
const lossOf = (kind: SampledOptions['kind'], options: Partial<SampledOptions> = {}): Loss =>
  sampled({ kind, negatives: 2, support: new Float64Array(9).fill(1), alpha: 1, ...options })

/** One position with the given scores. */
function scoring(scores: readonly number[]): Scored {
  const sizes = { positions: 1, itemCount: scores.length, width: 1, withBias: false }
  const scored = openScored(engine, sizes, createRandom(1))
  scored.theta.values[0] = 1
  scored.items.values.set(scores)
  return scored
}
const target = (item: number) => ({
  rows: Int32Array.of(0),
  items: Int32Array.of(item),
  rewards: Float32Array.of(1),
})

/** One step of all lanes, each with an item and the next item. */
const laneStep = (inputs: readonly number[], targets: readonly number[]): Example => ({
  batch: {
    steps: 1,
    sequences: inputs.length,
    rows: Int32Array.from(inputs, (item) => item + 1),
    rewards: new Float32Array(inputs.length),
    times: new Float64Array(inputs.length),
  },
  targets: {
    rows: Int32Array.from(targets, (_, lane) => lane),
    items: Int32Array.from(targets),
    rewards: new Float32Array(targets.length).fill(1),
  },
})

describe('1. the softmax', () => {
  it('covers only the sampled columns, independent of the other items', () => {
    const scores = [1, 2, -1, 0.5]
    const lonely = scoring(scores)
    const crowded = scoring([...scores, ...Array.from({ length: 500 }, () => 9)])
    const loss = lossOf('cross-entropy')
    const value = loss.apply(lonely, target(0), Int32Array.of(1, 2))
    const sum = Math.exp(1) + Math.exp(2) + Math.exp(-1)
    expect(value).toBeCloseTo(Math.log(sum) - 1, 5)
    expect(loss.apply(crowded, target(0), Int32Array.of(1, 2))).toBe(value)
    expectClose(
      [...lonely.dItems.values],
      [Math.E / sum - 1, Math.exp(2) / sum, Math.exp(-1) / sum, 0],
    )
    expect(crowded.dItems.values.slice(0, 4)).toEqual(lonely.dItems.values)
  })
})

describe('2. the softmax', () => {
  it('is applied once: a confident correct prediction has no loss', () => {
    const value = lossOf('cross-entropy').apply(scoring([30, 0, 0]), target(0), Int32Array.of(1, 2))
    expect(value).toBeLessThan(1e-6)
  })
})

describe('3. the hidden state in training', () => {
  it('is reset once, in exactly the lanes whose session ended', () => {
    const sessions = [
      [10, 11, 12, 13],
      [20, 21],
      [30, 31, 32],
    ].map((s) => Int32Array.from(s))
    const steps = Array.from(walkSessions(sessions, 2), ({ inputs, from }) => [
      [...inputs],
      [...from],
    ])
    expect(steps).toEqual([
      [
        [10, 20],
        [-1, -1],
      ],
      [
        [11, 30],
        [0, -1],
      ],
      [
        [12, 31],
        [0, 1],
      ],
    ])
  })
})

describe('4. the hidden state in evaluation', () => {
  it('is reset at the end of a session, so earlier sessions have no effect', () => {
    const model = open(9)
    const sequence = (user: number, ...items: number[]) => ({
      user,
      items: Int32Array.from(items),
      rewards: new Float32Array(items.length).fill(1),
      times: Float64Array.from(items, (_, i) => i),
      firstTarget: 1,
    })
    const scoresOf = (...sequences: ReturnType<typeof sequence>[]) => {
      const scores: number[][] = []
      createCatalogScorer(model).scoreTargets(sequences, (s, _, values) => {
        if (sequences[s]!.user === 0) scores.push([...values])
      })
      return scores
    }
    const alone = scoresOf(sequence(0, 1, 2, 3))
    expect(alone).toHaveLength(2)
    expect(scoresOf(sequence(1, 5, 6, 7), sequence(0, 1, 2, 3), sequence(2, 8, 8))).toEqual(alone)
  })
})

describe('5. the cost of a step', () => {
  it('depends on the sample only: nothing of the size of the catalog is allocated or copied', () => {
    const itemCount = 5000
    const model = open(itemCount, { dimension: 4 })
    const longest = { value: 0 }
    const watch = (workspace: Workspace): Workspace => ({
      matrix(name, rows, columns) {
        longest.value = Math.max(longest.value, rows, columns)
        return workspace.matrix(name, rows, columns)
      },
      list(name, length) {
        longest.value = Math.max(longest.value, length)
        return workspace.list(name, length)
      },
      indices(name, rows) {
        longest.value = Math.max(longest.value, rows.length)
        return workspace.indices(name, rows)
      },
      within: (prefix) => watch(workspace.within(prefix)),
    })
    const watched = { ...model, workspace: watch(model.workspace) }
    const support = new Float64Array(itemCount).fill(1)
    for (const kind of ['cross-entropy', 'bpr-max'] as const) {
      const optimizer = recordGradients('touched')
      const loss = lossOf(kind, { support, negatives: 6 })
      createTrainer(watched, { loss, optimizer }).step(laneStep([0, 1], [2, 3]), createRandom(1))
      const moved = optimizer.gradients['items']!.filter((value) => value !== 0)
      expect(moved.length).toBeGreaterThan(0)
      expect(moved.length).toBeLessThanOrEqual(10 * 4)
    }
    expect(longest.value).toBeGreaterThan(0)
    expect(longest.value).toBeLessThanOrEqual(12)
  })
})

describe('6. BPR-max', () => {
  it.each([{ elu: 0.5, regularization: 1.95 }, { regularization: 0.9 }, { elu: 1 }])(
    'is the published equation with %j',
    (options) => {
      const scores = [0.3, -0.8, 1.4, -0.1]
      const { elu, regularization = 0 } = options
      const [o, ...others] = scores.map((score) =>
        elu === undefined || score > 0 ? score : elu * Math.expm1(score),
      ) as [number, ...number[]]
      const total = others.reduce((sum, other) => sum + Math.exp(other), 0)
      const weights = others.map((other) => Math.exp(other) / total)
      const chance = others.reduce((sum, x, j) => sum + weights[j]! / (1 + Math.exp(x - o)), 0)
      const squares = others.reduce((sum, x, j) => sum + weights[j]! * x * x, 0)
      const value = lossOf('bpr-max', options).apply(
        scoring(scores),
        target(0),
        Int32Array.of(1, 2, 3),
      )
      expect(value).toBeCloseTo(-Math.log(chance) + regularization * squares, 5)
    },
  )
})

describe('7. BPR-max', () => {
  it('has no logarithm of zero', () => {
    const scored = scoring([-300, 300, 200])
    const value = lossOf('bpr-max').apply(scored, target(0), Int32Array.of(1, 2))
    expect(value).toBeCloseTo(-Math.log(1e-24), 3)
    expect(scored.dItems.values.every(Number.isFinite)).toBe(true)
  })
})

describe('8. dropout', () => {
  const [width, lanes] = [64, 64]
  const example = laneStep(
    Array.from({ length: lanes }, (_, lane) => lane),
    Array.from({ length: lanes }, (_, lane) => lane),
  )
  const shareOf = (values: Float32Array, value: number) =>
    values.filter((v) => v === value).length / values.length

  /** θ of a training pass, and the gradient at the inputs for a gradient of one. */
  function pass(options: ParityOptions, training: boolean) {
    const model = open(lanes, { dimension: width, ...options })
    const { batch } = example
    const theta = model.encode(batch, { random: training ? createRandom(7) : null })
    const ones = engine.matrix('ones', lanes, width)
    ones.values.fill(1)
    return { theta: theta.values.slice(), dX: model.network.backward(ones).values.slice() }
  }

  it('has separate rates for embeddings and hidden states, each the probability of a drop', () => {
    const { theta, dX } = pass({ embeddingDropout: 0.7, hiddenDropout: 0.2 }, true)
    expect(Math.abs(shareOf(theta, 0) - 0.2)).toBeLessThan(0.03)
    expect(Math.abs(shareOf(dX, 0) - 0.7)).toBeLessThan(0.03)
    expect(shareOf(pass({ embeddingDropout: 0.7 }, true).theta, 0)).toBe(0)
    expect(shareOf(pass({ hiddenDropout: 0.2 }, true).dX, 0)).toBe(0)
  })

  it('scales the remaining values up, so that evaluation needs no scaling', () => {
    const plain = pass({}, true).theta
    const dropped = pass({ hiddenDropout: 0.2 }, true).theta
    const selected = [...dropped].flatMap((value, i) => (value === 0 ? [] : [value / plain[i]!]))
    expectClose(
      selected,
      selected.map(() => 1.25),
    )
    expect(pass({ embeddingDropout: 0.7, hiddenDropout: 0.2 }, false).theta).toEqual(plain)
  })
})

describe('9. Adagrad', () => {
  it('starts from an accumulator of zero, with ε inside the root', () => {
    const parameter = createParameter(engine, 'p', [1, 2], () => 0)
    parameter.gradient.values.set([1e-3, -10])
    adagrad(engine, createWorkspace(engine), { rate: 0.05 }).step([parameter], [])
    const expected = [-0.05 * (1e-3 / Math.sqrt(1e-6 + 1e-6)), 0.05 * (10 / Math.sqrt(100 + 1e-6))]
    expectClose([...parameter.value.values], expected, 1e-6)
  })
})

describe('10. the learning rate', () => {
  it('is reduced only by Adagrad', () => {
    const parameter = createParameter(engine, 'p', [1, 1], () => 0)
    const optimizer = adagrad(engine, createWorkspace(engine), { rate: 0.1 })
    let expected = 0
    for (let t = 1; t <= 300; t++) {
      parameter.gradient.values[0] = 1
      optimizer.step([parameter], [])
      expected -= 0.1 / Math.sqrt(t + 1e-6)
    }
    expectClose([...parameter.value.values], [expected])
  })
})

describe('11. sizes and rates', () => {
  it('are those of the options', () => {
    for (const dimension of [3, 17]) {
      const shapes = open(7, { dimension }).parameters.map(({ value }) => [
        value.rows,
        value.columns,
      ])
      expect(shapes).toEqual([
        [8, dimension],
        [8, 1],
        [3 * dimension, dimension],
        [3 * dimension, dimension],
        [1, 3 * dimension],
        [1, 3 * dimension],
      ])
    }
    const sessions = Array.from({ length: 40 }, () => Int32Array.of(1, 2))
    for (const lanes of [1, 5, 33]) {
      expect(walkSessions(sessions, lanes).next().value).toMatchObject({
        inputs: new Int32Array(lanes).fill(1),
      })
    }
  })
})

describe('12. the last sessions', () => {
  it('are trained, in a batch that shrinks', () => {
    const sessions = [
      [1, 2, 3],
      [4, 5],
      [6, 7, 8, 9],
    ].map((s) => Int32Array.from(s))
    const targets = Array.from(walkSessions(sessions, 2), (step) => [...step.targets])
    expect(targets).toEqual([[2, 5], [3, 7], [8], [9]])
    const few = Array.from(walkSessions(sessions.slice(1, 2), 32), (step) => [...step.targets])
    expect(few).toEqual([[5]])
  })
})

describe('13. test items that training never saw', () => {
  it('are dropped and not replaced', () => {
    const events = [
      [0, 0, 0],
      [0, 1, 1],
      [1, 2, 2],
      [2, 1, 5],
      [2, 3, 6],
      [2, 2, 7],
    ] as const
    const log = sortLog({
      users: Int32Array.from(events, ([user]) => user),
      items: Int32Array.from(events, ([, item]) => item),
      rewards: new Float32Array(events.length).fill(1),
      times: Float64Array.from(events, ([, , time]) => time),
      userNames: ['u', 'v', 'w'],
      itemNames: ['a', 'b', 'c', 'never seen'],
    })
    const { test } = splitByTime(log, 5)
    expect(test.sequences.map(({ items }) => [...items])).toEqual([[1, 2]])
    expect(test.dropped.unseenItems).toBe(1)
    const targets: number[] = []
    const scorer = createCatalogScorer(open(log.itemNames.length))
    scorer.scoreTargets(test.sequences, (_, position) => targets.push(position))
    expect(targets).toEqual([1])
  })
})

describe('14. weights', () => {
  it("start within Glorot's bound of a single gate, and fill its range", () => {
    const [itemCount, dimension] = [200, 50]
    const model = open(itemCount, { dimension })
    const largest = (values: Float32Array) => Math.max(...values.map(Math.abs))
    const inside = (values: Float32Array, bound: number) => {
      expect(largest(values)).toBeLessThanOrEqual(bound)
      expect(largest(values)).toBeGreaterThan(0.98 * bound)
    }
    inside(model.itemEmbeddings.values, Math.sqrt(6 / (itemCount + dimension)))
    const [inputs, states, ...biases] = model.network.parameters
    inside(inputs!.value.values, Math.sqrt(6 / (2 * dimension)))
    inside(states!.value.values, Math.sqrt(6 / (2 * dimension)))
    for (const { value } of biases) expect(largest(value.values)).toBe(0)
    expect(largest(model.itemBias!.values)).toBe(0)
  })
})

describe('15. what makes GRU4Rec', () => {
  it('has one embedding for input and output', () => {
    const model = open(9, { dimension: 4 })
    const optimizer = recordGradients('all')
    const trainer = createTrainer(model, {
      loss: lossOf('cross-entropy', { negatives: 0 }),
      optimizer,
    })
    trainer.step(laneStep([1, 2], [3, 4]), createRandom(1))
    const moved = [...new Set(optimizer.gradients['items']!.flatMap((g, i) => (g ? [i >> 2] : [])))]
    expect(moved).toEqual([2, 3, 4, 5]) // rows of items 1 to 4: inputs and outputs alike
  })

  it('uses the targets of other lanes as negatives, and extra items by a power of popularity', () => {
    const support = Float64Array.of(1, 100, 10_000)
    const draws = 30_000
    const drawn = lossOf('bpr-max', { support, alpha: 0.5, negatives: draws }).candidates(
      target(0),
      createRandom(1),
    )
    const shares = [0, 1, 2].map((item) => drawn.filter((other) => other === item).length / draws)
    expectClose(shares, [1 / 111, 10 / 111, 100 / 111], 0.01)
  })

  it('trains with all options combined', () => {
    const model = open(30, { dimension: 8, embeddingDropout: 0.2, hiddenDropout: 0.1 })
    const sessions = Array.from({ length: 60 }, (_, s) =>
      Int32Array.from({ length: 4 }, (_unused, i) => (11 * s + i) % 30),
    )
    const loss = lossOf('bpr-max', {
      support: new Float64Array(30).fill(8),
      negatives: 12,
      alpha: 0.3,
      regularization: 0.5,
      elu: 1,
      nominalRows: 6,
    })
    const optimizer = adagrad(engine, model.workspace, { rate: 0.1, momentum: 0.15 })
    const options = { loss, optimizer, lanes: 6, random: createRandom(1), clock: () => 0 }
    const training = trainSessionParallel(model, sessions, { ...options, epochs: 8 })
    const first = training.next().value.loss
    expect(finish(training).loss).toBeLessThan(0.8 * first)
  })
})

describe('16. gradients of an item that occurs more than once', () => {
  it('are summed before the accumulator squares them', () => {
    const example = laneStep([1, 1, 2], [3, 3, 1])
    const settings = { loss: lossOf('cross-entropy', { negatives: 4 }), random: 5 }
    const record = recordGradients('touched')
    createTrainer(open(9, { dimension: 4 }), { ...settings, optimizer: record }).step(
      example,
      createRandom(settings.random),
    )
    const model = open(9, { dimension: 4 })
    const before = model.parameters.map(({ value }) => value.values.slice())
    const optimizer = adagrad(engine, model.workspace, { rate: 0.1 })
    createTrainer(model, { ...settings, optimizer }).step(example, createRandom(settings.random))
    for (const [i, { name, value }] of model.parameters.entries()) {
      const expected = record.gradients[name]!.map(
        (g, at) => before[i]![at]! - (0.1 * g) / Math.sqrt(g * g + 1e-6),
      )
      expectClose([...value.values], expected)
    }
  })
})

describe('17. ties', () => {
  it('count against the target', () => {
    expect(rankOf(Float32Array.of(0.5, 0.5, 0.5, 0.2), 1)).toBe(3)
    expect(rankOf(new Float32Array(100).fill(1), 42)).toBe(100)
  })
})
