import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import {
  createEngine,
  createWorkspace,
  WHITENING_BLOCK,
  NEVER,
  slateWhitening,
} from '../kernels/index.ts'
import type { Engine } from '../kernels/index.ts'
import { runSlate } from './ren-search.ts'
import type { Field } from './pool.ts'
import type { ScoreTerms } from './ren-search.ts'

interface Case {
  readonly seed: number
  readonly rows: number
  readonly count: number
  readonly visits: number
  readonly diversityWeight: number
  readonly uncertaintyWeight: number
  readonly sequential: boolean
  /** Of the user, of the items, and of how much the latter differ. */
  readonly userScale: number
  readonly itemScale: number
  readonly spread: number
  /** How many different items there are; the others are copies, so that scores are equal. */
  readonly kinds: number
  readonly barred: number
}

const cases: fc.Arbitrary<Case> = fc.record({
  seed: fc.nat(1e6),
  rows: fc.integer({ min: 513, max: 3000 }),
  count: fc.integer({ min: 1, max: 20 }),
  visits: fc.integer({ min: 1, max: 90 }),
  diversityWeight: fc.constantFrom(0, 0.01, 0.3, 3),
  uncertaintyWeight: fc.constantFrom(0, 0.3),
  sequential: fc.boolean(),
  userScale: fc.constantFrom(0, 1e-3, 1, 30),
  itemScale: fc.constantFrom(1e-22, 0.1, 1, 50),
  spread: fc.constantFrom(0, 0.3, 2),
  kinds: fc.constantFrom(1, 40, 10_000),
  barred: fc.constantFrom(0, 0, 0.5, 0.99, 1),
})

const dimension = 6

describe.each(['relaxed-simd', 'simd128'] as const)('a slate on %s', (kernel) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine({ kernel })
  })

  function build(c: Case): { field: Field; terms: ScoreTerms } {
    const random = createRandom(c.seed)
    const workspace = createWorkspace(engine)
    const items = workspace.matrix('items', c.rows, dimension)
    for (let k = 0; k < c.rows; k++) {
      const kind = random.fork(String(random.integer(c.kinds)))
      const scale = c.itemScale * Math.exp(c.spread * kind.normal())
      for (let j = 0; j < dimension; j++) items.values[k * dimension + j] = scale * kind.normal()
    }
    const tensor = (name: string, columns: number, value: () => number) => {
      const created = workspace.matrix(name, 1, columns)
      for (let i = 0; i < columns; i++) created.values[i] = value()
      return created
    }
    const user = tensor('user', dimension, () => c.userScale * random.normal())
    const uncertainty = tensor('uncertainty', c.rows, () => 1 / (1 + random.integer(3)))
    const history = workspace.matrix('history', c.visits, dimension)
    const visited = Int32Array.from({ length: c.visits }, () => random.integer(c.rows))
    const indices = workspace.indices('visited', visited)
    engine.trusted.gather({ table: items, indices, out: history })
    const norms = workspace.matrix('norms', 1, c.rows)
    engine.trusted.rowNorms({ x: items, out: norms })
    const bounds = workspace.matrix('bounds', 1, c.rows)
    const { diversityWeight, uncertaintyWeight, sequential } = c
    const weights = { diversityWeight, uncertaintyWeight }
    engine.trusted.scoreBounds({ ...weights, items, user, norms, uncertainty, bounds })
    for (let k = 0; k < c.rows; k++) if (random.uniform() < c.barred) bounds.values[k] = NEVER
    const labels = workspace.indices(
      'labels',
      Int32Array.from({ length: c.rows }, (_, k) => 3 * k + 1),
    )
    const slack = 1e-6 * (1 + c.itemScale * Math.exp(4 * c.spread)) * (1 + diversityWeight)
    return {
      field: { items, labels, norms, uncertainty, bounds },
      terms: {
        ...weights,
        user,
        history,
        onward: false,
        whitening: workspace.matrix('whitening', 1, slateWhitening(dimension)),
        sequential,
        tieSeed: c.seed,
        slack,
      },
    }
  }

  it('is what a look at every row finds, to the last bit', () => {
    fc.assert(
      fc.property(cases, (c) => {
        const { field, terms } = build(c)
        const workspace = createWorkspace(engine)
        const run = () => runSlate(engine, workspace, field, terms, c.count)
        const found = run()
        expect(run()).toEqual(found)
        const { values } = field.bounds
        for (let k = 0; k < c.rows; k++) if (values[k] !== NEVER) values[k] = 3e38
        expect(run()).toEqual(found)
      }),
      { numRuns: 60 },
    )
  })

  it('continues from the W of a shorter history to the same bits', () => {
    fc.assert(
      fc.property(cases, fc.nat(), (c, cut) => {
        const { field, terms } = build({ ...c, sequential: false })
        const workspace = createWorkspace(engine)
        const run = (more: Partial<ScoreTerms>) =>
          runSlate(engine, workspace, field, { ...terms, ...more }, c.count)
        const whole = run({})
        const w = terms.whitening.values.slice()
        // The cache does not continue across the border of a block.
        const least = Math.max(1, c.visits - (c.visits % WHITENING_BLOCK))
        const first = least + (cut % (c.visits - least + 1))
        run({ history: engine.part(terms.history, 0, first) })
        const rest = c.visits - first
        if (rest > 0) run({ onward: true, history: engine.part(terms.history, first, rest) })
        const none = workspace.matrix('none', 1, dimension)
        none.values.fill(0)
        expect(run({ onward: true, history: none })).toEqual(whole)
        expect([...terms.whitening.values]).toEqual([...w])
      }),
      { numRuns: 40 },
    )
  })
})
