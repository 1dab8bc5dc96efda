import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { goldens } from '../../../test/kernel-goldens/goldens.ts'
import { expectClose } from '../../../test/kernel-workspace.ts'
import { createRandom } from '../../core/random.ts'
import { createEngine } from '../../kernels/index.ts'
import type { Engine } from '../../kernels/index.ts'
import { createParameter, normal } from '../parameter.ts'
import type { Parameter } from '../parameter.ts'
import { createWorkspace } from '../../kernels/index.ts'
import { adagrad, adam, lazyAdam } from './optimizers.ts'
import { normOf, scaleAll } from './optimizer.ts'
import type { Optimizer, TouchedRows } from './optimizer.ts'

let engine: Engine
beforeAll(async () => {
  engine = await createEngine({ kernel: 'reference' })
})

const [rows, columns] = [6, 2]
const open = (seed = 1, count = rows): Parameter =>
  createParameter(engine, 'table', [count, columns], normal(createRandom(seed), 1))

/** Random gradients for some rows of a table at each step. */
interface Step {
  readonly rows: readonly number[]
  readonly gradient: Float32Array
}
const anySteps = fc
  .array(fc.uniqueArray(fc.nat(rows - 1), { minLength: 1 }), { minLength: 1, maxLength: 6 })
  .map((steps) =>
    steps.map((some, t): Step => {
      const random = createRandom(t)
      return {
        rows: some,
        gradient: Float32Array.from({ length: some.length * columns }, () => random.normal()),
      }
    }),
  )

/** The touched rows of a parameter, as the trainer passes them. */
function touch(parameter: Parameter, { rows: some, gradient }: Step): TouchedRows {
  const gathered = {
    name: parameter.name,
    value: engine.matrix('touched', some.length, columns),
    gradient: engine.matrix('gradient of touched', some.length, columns),
  }
  gathered.gradient.values.set(gradient)
  for (const [i, row] of some.entries()) {
    const from = parameter.value.values.subarray(row * columns, (row + 1) * columns)
    gathered.value.values.set(from, i * columns)
  }
  return { parameter, rows: Int32Array.from(some), gathered }
}

function stepRows(optimizer: Optimizer, parameter: Parameter, steps: readonly Step[]): number[] {
  for (const step of steps) optimizer.step([], [touch(parameter, step)])
  return [...parameter.value.values]
}

/** The same, with zero gradients for all other rows. */
function stepWhole(optimizer: Optimizer, parameter: Parameter, steps: readonly Step[]): number[] {
  for (const { rows: some, gradient } of steps) {
    parameter.gradient.values.fill(0)
    for (const [i, row] of some.entries()) {
      const from = gradient.subarray(i * columns, (i + 1) * columns)
      parameter.gradient.values.set(from, row * columns)
    }
    optimizer.step([parameter], [])
  }
  return [...parameter.value.values]
}

describe('three steps on a quadratic equal the golden values for', () => {
  it.each([
    { name: 'adam', create: adam, rate: 0.01 },
    { name: 'adagrad_eps_1e-6_inside_root', create: adagrad, rate: 0.05 },
  ] as const)('$name', ({ name, create, rate }) => {
    const { p0, Q, steps } = goldens[name]
    const n = p0.data.length
    const parameter = createParameter(engine, 'p', [1, n], () => 0)
    parameter.value.values.set(p0.data)
    const optimizer = create(engine, createWorkspace(engine), { rate })
    for (const expected of steps) {
      const p = [...parameter.value.values]
      const product = p.map((_, i) => p.reduce((sum, x, j) => sum + Q.data[i * n + j]! * x, 0))
      parameter.gradient.values.set(
        p.map((_, j) => 2 * product.reduce((sum, x, i) => sum + Q.data[i * n + j]! * x, 0)),
      )
      optimizer.step([parameter], [])
      expectClose([...parameter.value.values], expected.data)
    }
  })
})

describe('Adam', () => {
  const options = { rate: 0.1, beta1: 0.8, beta2: 0.9, epsilon: 1e-3 }

  it('updates a row only when touched in its lazy form, and corrects by all steps', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const parameter = open()
        const expected = Float64Array.from(parameter.value.values)
        const moments = [
          new Float64Array(rows * columns),
          new Float64Array(rows * columns),
        ] as const
        for (const [t, step] of steps.entries()) {
          for (const [i, row] of step.rows.entries()) {
            for (let c = 0; c < columns; c++) {
              const [at, g] = [row * columns + c, step.gradient[i * columns + c]!]
              const m = (moments[0][at] = 0.8 * moments[0][at]! + 0.2 * g)
              const v = (moments[1][at] = 0.9 * moments[1][at]! + 0.1 * g * g)
              const [m1, v1] = [m / (1 - 0.8 ** (t + 1)), v / (1 - 0.9 ** (t + 1))]
              expected[at]! -= (0.1 * m1) / (Math.sqrt(v1) + 1e-3)
            }
          }
        }
        const lazy = lazyAdam(engine, createWorkspace(engine), options)
        expectClose(stepRows(lazy, parameter, steps), [...expected])
      }),
      { numRuns: 50 },
    )
  })

  it('is equal in its dense and lazy forms if every row is touched', () => {
    const all = [0, 1, 2, 3, 4, 5]
    const steps = [1, 2, 3].map((seed) => {
      const random = createRandom(seed)
      return { rows: all, gradient: Float32Array.from({ length: 12 }, () => random.normal()) }
    })
    const withDecay = { ...options, weightDecay: 0.1 }
    expect(stepRows(lazyAdam(engine, createWorkspace(engine), withDecay), open(), steps)).toEqual(
      stepWhole(adam(engine, createWorkspace(engine), withDecay), open(), steps),
    )
  })

  it('continues to move a row by its momentum in its dense form', () => {
    const first = { rows: [0], gradient: Float32Array.of(1, 1) }
    const second = { rows: [1], gradient: Float32Array.of(1, 1) }
    const [dense, lazy] = [open(), open()]
    stepWhole(adam(engine, createWorkspace(engine)), dense, [first])
    const after = dense.value.values[0]
    const optimizer = adam(engine, createWorkspace(engine))
    expect(stepWhole(optimizer, open(), [first, second])[0]).toBeLessThan(after!)
    expect(stepRows(lazyAdam(engine, createWorkspace(engine)), lazy, [first, second])[0]).toBe(
      after,
    )
  })

  it('uses the last share of its rate', () => {
    const first = { rows: [1], gradient: Float32Array.of(1, -2) }
    const second = { rows: [1], gradient: Float32Array.of(0.5, 1) }
    const [scaled, whole, slow] = [open(), open(), open()]
    const optimizer = adam(engine, createWorkspace(engine), { rate: 0.1 })
    optimizer.scaleRate!(0.5)
    const halved = adam(engine, createWorkspace(engine), { rate: 0.05 })
    expect(stepWhole(optimizer, scaled, [first])).toEqual(stepWhole(halved, slow, [first]))
    const full = adam(engine, createWorkspace(engine), { rate: 0.1 })
    stepWhole(full, whole, [first])
    whole.value.values.set(scaled.value.values)
    optimizer.scaleRate!(1)
    expect(stepWhole(optimizer, scaled, [second])).toEqual(stepWhole(full, whole, [second]))
  })

  it('adds the weight decay to the gradient', () => {
    const [decayed, plain] = [open(), open()]
    const gradient = Float32Array.of(0.5, -0.5)
    stepRows(lazyAdam(engine, createWorkspace(engine), { ...options, weightDecay: 0.3 }), decayed, [
      { rows: [2], gradient },
    ])
    const withDecay = gradient.map((g, c) => g + 0.3 * plain.value.values[2 * columns + c]!)
    stepRows(lazyAdam(engine, createWorkspace(engine), options), plain, [
      { rows: [2], gradient: withDecay },
    ])
    expectClose([...decayed.value.values], [...plain.value.values], 1e-6)
  })
})

describe('Adagrad', () => {
  it('is equal for touched rows and the whole table without momentum', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const byRows = stepRows(adagrad(engine, createWorkspace(engine)), open(), steps)
        expect(byRows).toEqual(stepWhole(adagrad(engine, createWorkspace(engine)), open(), steps))
      }),
      { numRuns: 50 },
    )
  })

  it('applies its velocity only to touched rows', () => {
    const step = { rows: [3], gradient: Float32Array.of(2, -2) }
    const optimizer = adagrad(engine, createWorkspace(engine), { rate: 0.1, momentum: 0.5 })
    const parameter = open()
    const before = [...parameter.value.values]
    const after = stepRows(optimizer, parameter, [
      step,
      { rows: [1], gradient: new Float32Array(2) },
    ])
    // One step of rate·g/√g², and no momentum while the row is not touched.
    expect(after[6]).toBeCloseTo(before[6]! - 0.1, 5)
    const again = stepRows(optimizer, parameter, [step])
    expect(again[6]).toBeCloseTo(after[6]! - 0.05 - 0.1 / Math.SQRT2, 5)
    expect(again.toSpliced(6, 2)).toEqual(before.toSpliced(6, 2))
  })
})

describe.each(Object.entries({ adam, lazyAdam, adagrad }))('%s', (_, create) => {
  it('retains the state of old rows when the table grows', () => {
    const random = createRandom(1)
    const steps = [0, 1, 2].map(() => ({
      rows: [0, 1, 2, 3, 4, 5],
      gradient: Float32Array.from({ length: 12 }, () => random.normal()),
    }))
    const optimizer = create(engine, createWorkspace(engine))
    const small = open()
    stepRows(optimizer, small, steps.slice(0, 2))
    const grown = open(1, 9)
    grown.value.values.set(small.value.values)
    const expected = stepRows(create(engine, createWorkspace(engine)), open(), steps)
    expect(stepRows(optimizer, grown, steps.slice(2)).slice(0, 12)).toEqual(expected)
  })
})

describe('the state of a table that grows row by row', () => {
  it('equals the state of a table of that size, and is rarely reallocated', () => {
    const moved: number[] = []
    const counting: Engine = {
      ...engine,
      matrix(name, count, width) {
        if (name.startsWith('first moment of')) moved.push(count)
        return engine.matrix(name, count, width)
      },
    }
    const [last, width] = [100, 2]
    const optimizer = adam(counting, createWorkspace(engine))
    const whole = adam(engine, createWorkspace(engine))
    const expected = createParameter(engine, 'table', [last, width], () => 1)
    let parameter = createParameter(engine, 'table', [3, width], () => 1)
    for (let count = 3; count <= last; count++) {
      const grown = createParameter(engine, 'table', [count, width], () => 1)
      grown.value.values.set(parameter.value.values)
      parameter = grown
      parameter.gradient.values.forEach((__, i, all) => (all[i] = Math.sin(i + count)))
      expected.gradient.values.set(parameter.gradient.values)
      optimizer.step([parameter], [])
      whole.step([expected], [])
    }
    expect(parameter.value.values).toEqual(expected.value.values)
    expect(moved).toEqual([3, 8, 18, 38, 78, 158])
  })
})

it.each([
  ['adam', () => adam(engine, createWorkspace(engine), { rate: 0 }), 'rate'],
  ['adam', () => adam(engine, createWorkspace(engine), { rate: Number.NaN }), 'rate'],
  ['adam', () => adam(engine, createWorkspace(engine), { beta1: 1 }), 'beta1'],
  ['lazy-adam', () => lazyAdam(engine, createWorkspace(engine), { beta2: -0.1 }), 'beta2'],
  ['lazy-adam', () => lazyAdam(engine, createWorkspace(engine), { epsilon: 0 }), 'epsilon'],
  ['adam', () => adam(engine, createWorkspace(engine), { weightDecay: -1 }), 'weightDecay'],
  ['adagrad', () => adagrad(engine, createWorkspace(engine), { rate: Infinity }), 'rate'],
  ['adagrad', () => adagrad(engine, createWorkspace(engine), { momentum: 1 }), 'momentum'],
  ['adagrad', () => adagrad(engine, createWorkspace(engine), { epsilon: -1 }), 'epsilon'],
])('%s refuses invalid options (%o)', (name, create, option) => {
  expect(create).toThrow(
    expect.objectContaining({
      code: 'invalid-argument',
      message: expect.stringContaining(`${name}.${option} must be`),
    }),
  )
})

describe('clipping', () => {
  it('scales all gradients together to the maximum norm', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: -3, max: 15 }), (seed, exponent) => {
        const random = createRandom(seed)
        const gradients = [engine.matrix('a', 3, 2), engine.matrix('b', 1, 5)]
        for (const { values } of gradients) {
          values.forEach((_, i) => (values[i] = random.normal() * 10 ** exponent))
        }
        const before = gradients.map(({ values }) => values.slice())
        const norm = normOf(engine, gradients)
        expect(norm).toBeCloseTo(Math.hypot(...before.flatMap((values) => [...values])), -exponent)
        scaleAll(gradients, 2 / norm)
        expect(normOf(engine, gradients)).toBeCloseTo(2, 5)
        for (const [i, { values }] of gradients.entries()) {
          expectClose(
            [...values],
            [...before[i]!].map((value) => (2 * value) / norm),
          )
        }
      }),
      { numRuns: 50 },
    )
  })
})

describe.each([
  ['adam', adam],
  ['lazy-adam', lazyAdam],
  ['adagrad', adagrad],
] as const)('a saved state of %s', (_, create) => {
  const opened = () => create(engine, createWorkspace(engine), { rate: 0.1, momentum: 0.5 })
  const stepFor = (optimizer: Optimizer) => (optimizer.rows === 'all' ? stepWhole : stepRows)

  it('continues like the original optimizer', () => {
    fc.assert(
      fc.property(anySteps, anySteps, (before, after) => {
        const [whole, first, second] = [opened(), opened(), opened()]
        const step = stepFor(whole)
        const [parameter, resumed] = [open(), open()]
        step(whole, parameter, before)
        const expected = step(whole, parameter, after)
        step(first, resumed, before)
        second.load!(first.save!())
        // A loaded state can be saved again before it is used.
        const third = opened()
        third.load!(second.save!())
        expect(step(third, resumed, after)).toEqual(expected)
      }),
      { numRuns: 20 },
    )
  })
})
