// Breaks every parameter of every kernel, one way at a time. Each call must fail with an error that
// names the parameter.

import { beforeAll, describe, expect, it } from 'vitest'

import { scalarFor } from '../../test/kernel-cases.ts'
import { RenError } from '../core/errors.ts'
import type { ErrorCode } from '../core/errors.ts'
import { createRandom } from '../core/random.ts'
import type { Allocator } from './arena.ts'
import { contract, elementwiseKernels, kernelNames } from './contract.ts'
import type { KernelName } from './contract.ts'
import { createEngine } from './engine.ts'
import type { Engine } from './engine.ts'
import type { IndexTensor, Indices, Matrix, Parameter, Scalar, Sizes, Tensor } from './signature.ts'

type Argument = Tensor | IndexTensor | number | boolean | null | string | undefined
type Arguments = Record<string, Argument>

/** A call with valid arguments, of which `spoil` breaks one. */
interface SpoiltCall {
  readonly what: string
  readonly flags: 0 | 1
  readonly spoil: (args: Arguments, own: Allocator, other: Allocator) => void
  /** The expected error, or that the call is accepted. */
  readonly outcome: { readonly code: ErrorCode; readonly message: RegExp } | 'taken'
}

const parametersOf = (kernel: KernelName): readonly Parameter[] => contract[kernel]
const isMatrix = (parameter: Parameter): parameter is Matrix<string> => 'shape' in parameter
const isList = (parameter: Parameter): parameter is Indices<string> => 'bound' in parameter
const isTensor = (parameter: Parameter): parameter is Matrix<string> | Indices<string> =>
  isMatrix(parameter) || isList(parameter)

/** Sizes that are valid for every kernel: 4, except for divisors and counts. */
const sizeOf: Readonly<Record<string, number>> = { heads: 2, width: 6, n: 3, count: 3, dilation: 1 }
function sizesOf(kernel: KernelName, flags: 0 | 1): Sizes {
  const named = parametersOf(kernel).flatMap(({ kind, name }) => {
    if (kind === 'flag') return [[name, flags] as const]
    return kind === 'size' ? [[name, sizeOf[name] ?? 4] as const] : []
  })
  return Object.fromEntries(named)
}

function tensorFor(
  parameter: Matrix<string> | Indices<string>,
  sizes: Sizes,
  allocator: Allocator,
): Tensor | IndexTensor {
  const { name } = parameter
  if (isList(parameter)) return allocator.indices(name, parameter.length(sizes))
  const tensor = allocator.matrix(name, ...parameter.shape(sizes))
  tensor.values.fill(0.5)
  return tensor
}

function argumentFor(parameter: Parameter, sizes: Sizes, allocator: Allocator): Argument {
  const { name } = parameter
  if (parameter.kind === 'flag') return sizes[name] === 1
  if (parameter.kind === 'size') return parameter.from === null ? sizes[name] : undefined
  if (parameter.kind === 'scalar') return scalarFor(name, createRandom(1))
  return tensorFor(parameter, sizes, allocator)
}

/** Returns all ways to break one parameter of a kernel. */
function spoiltCalls(kernel: KernelName, parameter: Parameter): readonly SpoiltCall[] {
  const { name } = parameter
  const put = (
    what: unknown,
    code: ErrorCode,
    value: (own: Allocator, other: Allocator) => Argument,
  ) =>
    refused(kernel, name, code, String(what), (args, own, other) => {
      args[name] = value(own, other)
    })
  const putEach = (code: ErrorCode, values: readonly Argument[]) =>
    values.map((value) => put(value, code, () => value))
  if (isTensor(parameter)) {
    const sizes = sizesOf(kernel, 0)
    const freed = (own: Allocator) => {
      const tensor = tensorFor(parameter, sizes, own)
      own.free(tensor)
      return tensor
    }
    return [
      ...putEach('invalid-argument', [undefined, null, 3]),
      put('freed', 'use-after-free', freed),
      put('foreign', 'use-after-free', (_, other) => tensorFor(parameter, sizes, other)),
      ...(isList(parameter) ? spoiltList(kernel, parameter) : spoiltMatrix(kernel, parameter)),
    ]
  }
  if (parameter.kind === 'scalar') {
    return [
      ...putEach('non-finite-input', [undefined, null, '1', Number.NaN, Infinity, -Infinity]),
      ...putEach('invalid-argument', outside(parameter)),
    ]
  }
  if (parameter.kind === 'flag') return putEach('invalid-argument', [1, 0, 'yes', null])
  if (parameter.from !== null) return []
  return putEach('invalid-argument', [undefined, '2', 0, -1, 1.5, Number.NaN, Infinity, 2 ** 32])
}

function refused(
  kernel: KernelName,
  names: string,
  code: ErrorCode,
  what: string,
  spoil: SpoiltCall['spoil'],
): SpoiltCall {
  return {
    what,
    flags: 0,
    spoil,
    outcome: { code, message: new RegExp(`^${kernel}: (${names})\\b`) },
  }
}

/** Returns numbers just outside a range, and a fraction for ranges of integers. */
function outside({ range: { min, max, integer } }: Scalar<string>): readonly number[] {
  const beyond = (end: number, sign: number) => end + sign * Math.max(1e-40, Math.abs(end) * 1e-9)
  return [beyond(min, -1), beyond(max, 1), -1e39, 1e39, ...(integer ? [1.5] : [])]
}

function spoiltMatrix(kernel: KernelName, parameter: Matrix<string>): readonly SpoiltCall[] {
  const { name } = parameter
  const [rows, columns] = parameter.shape(sizesOf(kernel, 0))
  const shaped = (dimension: string, by: number, r: number, c: number) =>
    misfits(kernel, name, dimension, by, (args, own) => {
      args[name] = own.matrix(name, r, c)
    })
  return [
    ...[-1, 1]
      .filter((by) => rows + by > 0)
      .flatMap((by) => shaped('rows', by, rows + by, columns)),
    ...[-1, 1]
      .filter((by) => columns + by > 0)
      .flatMap((by) => shaped('columns', by, rows, columns + by)),
    ...([0, 1] as const).flatMap((flags) => withNaN(kernel, parameter, flags)),
    ...overlaps(kernel, parameter),
  ]
}

/**
 * Puts NaN into the first row, the last row and the last checked row. Refused if the row is
 * checked.
 */
function withNaN(
  kernel: KernelName,
  parameter: Matrix<string>,
  flags: 0 | 1,
): readonly SpoiltCall[] {
  const { name } = parameter
  const sizes = sizesOf(kernel, flags)
  const finiteRows = parameter.finiteRows(sizes)
  const rows = new Set([0, Math.max(0, finiteRows - 1), parameter.shape(sizes)[0] - 1])
  return [...rows].map((row) => ({
    what: `NaN in row ${row}, flags ${flags}`,
    flags,
    spoil: (args) => {
      const { values, columns } = args[name] as Tensor
      values[(row + 1) * columns - 1] = Number.NaN
    },
    outcome:
      row < finiteRows
        ? {
            code: 'non-finite-input',
            message: new RegExp(`^${kernel}: ${name} holds NaN in row ${row},`),
          }
        : 'taken',
  }))
}

/**
 * Lets a written matrix overlap another one. Refused, except for equal matrices of elementwise
 * kernels.
 */
function overlaps(kernel: KernelName, one: Matrix<string>): readonly SpoiltCall[] {
  const sizes = sizesOf(kernel, 0)
  if (one.kind === 'input') return []
  const others = parametersOf(kernel)
    .filter(isMatrix)
    .filter((parameter) => parameter !== one)
  return others.flatMap((two) =>
    [0, extent(one, sizes) - 1].map((shift): SpoiltCall => {
      const names = `${one.name} overlaps ${two.name}|${two.name} overlaps ${one.name}`
      const call = refused(kernel, names, 'invalid-argument', names, (args, own) => {
        const memory = own.matrix('memory', 1000, 1)
        args[one.name] = own.part(memory, 0, ...one.shape(sizes))
        args[two.name] = own.part(memory, shift, ...two.shape(sizes))
      })
      const isInPlace = elementwiseKernels.has(kernel) && two.kind === 'input' && shift === 0
      return isInPlace ? { ...call, outcome: 'taken' } : call
    }),
  )
}

function spoiltList(kernel: KernelName, parameter: Indices<string>): readonly SpoiltCall[] {
  const { name, kind } = parameter
  const sizes = sizesOf(kernel, 0)
  const length = parameter.length(sizes)
  const lengths = [-1, 1].flatMap((by) =>
    misfits(kernel, name, 'length', by, (args, own) => {
      args[name] = own.indices(name, length + by)
    }),
  )
  if (kind !== 'indices') return lengths
  const rows = [-1, parameter.bound(sizes), 2 ** 31 - 1, -(2 ** 31)]
  const outsiders = rows.flatMap((row) =>
    [0, length - 1].map((at) =>
      refused(kernel, name, 'index-out-of-range', `${row} at ${at}`, (args) => {
        const list = args[name] as IndexTensor
        list.values[at] = row
      }),
    ),
  )
  return [...lengths, ...outsiders]
}

/**
 * Changes the shape of a tensor. If a size comes from that dimension, the error names another tensor
 * that depends on the size, if there is one.
 */
function misfits(
  kernel: KernelName,
  name: string,
  dimension: string,
  by: number,
  spoil: SpoiltCall['spoil'],
): readonly SpoiltCall[] {
  const sizes = sizesOf(kernel, 0)
  const what = `${by} ${dimension}`
  const source = sourcesOf(kernel, sizes).get(`${name}.${dimension}`)
  if (source === undefined) return [refused(kernel, name, 'shape-mismatch', what, spoil)]
  const changed = { ...sizes, [source]: sizes[source]! + by }
  const tensors = parametersOf(kernel).filter(isTensor)
  const dependent = tensors.filter(
    (p) => p.name !== name && extent(p, sizes) !== extent(p, changed),
  )
  if (dependent.length === 0) return []
  // Heads do not divide a width that is off by one, which is checked before the shapes.
  const code = source === 'width' && 'heads' in sizes ? 'invalid-argument' : 'shape-mismatch'
  const names = ['heads', ...tensors.map((p) => p.name)].join('|')
  return [refused(kernel, names, code, what, spoil)]
}

/** Returns the number of values in a tensor. */
function extent(parameter: Matrix<string> | Indices<string>, sizes: Sizes): number {
  if (isList(parameter)) return parameter.length(sizes)
  const [rows, columns] = parameter.shape(sizes)
  return rows * columns
}

/** Maps the dimensions that define sizes, as tensor.dimension, to the size. */
function sourcesOf(kernel: KernelName, sizes: Sizes): ReadonlyMap<string, string> {
  const sources = new Map<string, string>()
  for (const parameter of parametersOf(kernel)) {
    if (parameter.kind !== 'size' || parameter.from === null) continue
    const look = (dimension: string) => (name: string) => {
      sources.set(`${name}.${dimension}`, parameter.name)
      return 1
    }
    parameter.from({
      rows: look('rows'),
      columns: look('columns'),
      length: look('length'),
      size: (name) => sizes[name]!,
    })
  }
  return sources
}

describe.each(kernelNames)('%s', (kernel) => {
  let engine: Engine
  let other: Engine
  beforeAll(async () => {
    engine = await createEngine()
    other = await createEngine()
  })

  function outcomeOf({ flags, spoil }: Omit<SpoiltCall, 'what' | 'outcome'>): unknown {
    return engine.scope((own) => {
      const sizes = sizesOf(kernel, flags)
      const args: Arguments = Object.fromEntries(
        parametersOf(kernel).map((p) => [p.name, argumentFor(p, sizes, own)]),
      )
      spoil(args, own, other)
      const operation = engine.operations[kernel] as unknown as (args: Arguments) => number
      try {
        operation(args)
        return 'taken'
      } catch (error) {
        if (error instanceof RenError) return { code: error.code, message: error.message }
        throw error
      }
    })
  }

  it.each([0, 1] as const)('accepts valid arguments, with flags of %i', (flags) => {
    expect(outcomeOf({ flags, spoil: () => {} })).toBe('taken')
  })

  const spoilt = parametersOf(kernel)
    .map((parameter) => ({ ...parameter, calls: spoiltCalls(kernel, parameter) }))
    .filter(({ calls }) => calls.length > 0)
  it.each(spoilt)('refuses an invalid $kind $name', ({ calls }) => {
    for (const call of calls) {
      const { what, outcome } = call
      const expected =
        outcome === 'taken'
          ? outcome
          : { ...outcome, message: expect.stringMatching(outcome.message) }
      expect({ what, outcome: outcomeOf(call) }).toEqual({ what, outcome: expected })
    }
  })
})
