// Random arguments for any kernel, generated from its contract: writes them into the memory of an
// engine, runs the kernel and reads the outputs.

import { createArena, createMemory } from '../src/kernels/arena.ts'
import type { Allocator, Arena } from '../src/kernels/arena.ts'
import { contract } from '../src/kernels/contract.ts'
import type { KernelName, RawKernels } from '../src/kernels/contract.ts'
import { createReferenceKernels } from '../src/kernels/reference/index.ts'
import type { Indices, Matrix, Parameter, Sizes } from '../src/kernels/signature.ts'
import { cut, sharedKernels } from '../src/kernels/sharing.ts'
import { compileModule, instantiate, wholeKernels } from '../src/kernels/simd.ts'
import type { SimdBuild, SimdExports } from '../src/kernels/simd.ts'
import { passReader } from '../src/kernels/threads.ts'
import { createRandom } from '../src/core/random.ts'
import type { Random } from '../src/core/random.ts'

export interface RawEngine {
  readonly arena: Arena
  readonly kernels: RawKernels
}

export function openReference(): RawEngine {
  const arena = createArena(createMemory(false))
  return { arena, kernels: createReferenceKernels(arena.memory) }
}

export async function openSimd(build: SimdBuild): Promise<RawEngine> {
  const { arena, exports } = await openExports(build)
  return { arena, kernels: wholeKernels(exports) }
}

/** An engine that computes each pass in parts, the last part first. */
export async function openSplit(build: SimdBuild, parts: number): Promise<RawEngine> {
  const { arena, exports } = await openExports(build)
  const split = sharedKernels.map((kernel) => {
    const passesOf = passReader(kernel)
    const call = (...args: number[]): void => {
      for (const pass of passesOf(args)) {
        const bounds = cut(pass, parts)
        for (let i = bounds.length - 2; i >= 0; i--) {
          exports[pass.name](...args, bounds[i]!, bounds[i + 1]!)
        }
      }
    }
    return [kernel, call] as const
  })
  return { arena, kernels: { ...wholeKernels(exports), ...Object.fromEntries(split) } }
}

async function openExports(build: SimdBuild): Promise<{ arena: Arena; exports: SimdExports }> {
  const arena = createArena(createMemory(false))
  const exports = instantiate(await compileModule(build, false), arena.memory)
  exports.setScratch(arena.reserve('scratch', exports.scratchBytes()))
  return { arena, exports }
}

type Draws = Pick<Random, 'normal' | 'integer'>

/** The random numbers of one case: drawn for its first run, and repeated in every later one. */
export interface CaseDraws extends Draws {
  restart(): void
}

export function drawsOf(seed: number): CaseDraws {
  const random = createRandom(seed)
  const drawn: number[] = []
  let at = 0
  const next = (draw: () => number): number => {
    if (at === drawn.length) drawn.push(draw())
    return drawn[at++]!
  }
  return {
    normal: () => next(random.normal),
    integer: (bound) => next(() => random.integer(bound)),
    restart: () => (at = 0),
  }
}

export interface KernelCase {
  readonly kernel: KernelName
  readonly sizes: Sizes
  readonly draws: CaseDraws
  /** Maps a value drawn for a parameter. */
  readonly transform: (value: number, name: string, row: number, column: number) => number
}

export interface Outcome {
  /** The float outputs in the order of the contract, then the return value, if any. */
  readonly floats: readonly (readonly number[])[]
  readonly indices: readonly (readonly number[])[]
  /** The largest absolute value, at least 1. */
  readonly largest: number
}

/** A case has the same arguments on every engine. Memory that a kernel must not read is NaN. */
export function runKernel(
  { kernel, sizes, draws, transform }: KernelCase,
  engine: RawEngine,
): Outcome {
  draws.restart()
  return engine.arena.scope((temporary) => {
    const floats: (() => readonly number[])[] = []
    const indices: (() => readonly number[])[] = []
    let largest = 1

    const layList = (parameter: Indices<string>): number => {
      const length = parameter.length(sizes)
      const list = layIndices(temporary, parameter, sizes, draws)
      if (parameter.kind === 'indices-output') {
        indices.push(() => [...list.values.subarray(0, length)])
      }
      return list.address
    }
    const layMatrix = (parameter: Matrix<string>): number => {
      const { name, kind } = parameter
      const [rows, columns] = parameter.shape(sizes)
      const readRows = kind === 'input' ? rows : parameter.finiteRows(sizes)
      const tensor = temporary.matrix(name, 1, Math.max(1, rows * columns))
      const { values } = tensor
      const draw = valueFor(kernel, name, draws)
      for (let row = 0; row < rows; row++) {
        for (let column = 0; column < columns; column++) {
          const value = row < readRows ? transform(draw(), name, row, column) : Number.NaN
          values[row * columns + column] = value
          if (Math.abs(value) > largest) largest = Math.abs(value)
        }
      }
      if (kind === 'output' || kind === 'update') {
        floats.push(() => [...tensor.values.subarray(0, rows * columns)])
      }
      return tensor.address
    }
    const lay = (parameter: Parameter): number => {
      if (parameter.kind === 'size' || parameter.kind === 'flag') return sizes[parameter.name]!
      if (parameter.kind === 'scalar') return scalarFor(parameter.name, draws)
      return 'bound' in parameter ? layList(parameter) : layMatrix(parameter)
    }

    const parameters: readonly Parameter[] = contract[kernel]
    const result = engine.kernels[kernel](...parameters.map(lay))
    const read = [...floats.map((of) => of()), ...(result === undefined ? [] : [[result]])]
    largest = read.flat().reduce((most, value) => Math.max(most, Math.abs(value)), largest)
    return { floats: read, indices: indices.map((of) => of()), largest }
  })
}

function layIndices(
  temporary: Allocator,
  { name, length, bound }: Indices<string>,
  sizes: Sizes,
  draws: Draws,
) {
  const list = temporary.indices(name, Math.max(1, length(sizes)))
  const most = Math.min(bound(sizes), 2 ** 31)
  for (let i = 0; i < length(sizes); i++) list.values[i] = most > 0 ? draws.integer(most) : 0
  return list
}

/** A value within the range of the scalar with this name. */
export function scalarFor(name: string, draws: Draws): number {
  if (name === 'seed' || name === 'tieSeed') return draws.integer(2 ** 32)
  const values: Readonly<Record<string, number>> = {
    scale: 0.37,
    epsilon: 1e-3,
    rate: 0.05,
    beta1: 0.9,
    beta2: 0.99,
    correction1: 0.3,
    correction2: 0.05,
    momentum: 0.8,
    alpha: 0.7,
    regularization: 0.9,
    diversityWeight: 0.8,
    uncertaintyWeight: 0.3,
    slack: 1e-9,
  }
  return values[name]!
}

/** Second moments, accumulators and quadratic forms are sums of squares; other values have any sign. */
function valueFor(kernel: KernelName, name: string, draws: Draws): () => number {
  const { normal } = draws
  if (['secondMoment', 'accumulator', 'forms', 'statistics'].includes(name)) {
    return () => Math.abs(normal())
  }
  if (kernel === 'pickSlate' && name === 'bounds') return () => 3e38
  return normal
}
