// The kernels with named arguments, checked against the contract. Shapes, row numbers, scalars and
// overlaps are always checked. Input and output values are checked unless the caller uses `trusted`,
// such as a training loop that checks its loss.

import { describeValue } from '../core/describe-value.ts'
import { RenError, invalid, shapeMismatch } from '../core/errors.ts'
import type { Arena } from './arena.ts'
import { contract, kernelNames, elementwiseKernels } from './contract.ts'
import type { KernelName, Operations, RawKernels } from './contract.ts'
import type {
  Given,
  IndexTensor,
  Indices,
  Matrix,
  Parameter,
  Scalar,
  Size,
  Sizes,
  Tensor,
} from './signature.ts'

type Arguments = Readonly<
  Record<string, Tensor | IndexTensor | number | boolean | null | undefined>
>

export function createOperations(
  arena: Arena,
  kernels: RawKernels,
  values: 'checked' | 'trusted',
): Operations {
  const operations = kernelNames.map((kernel) => {
    const call = createOperation(arena, kernels, kernel, values === 'checked')
    return [kernel, call] as const
  })
  return Object.fromEntries(operations) as unknown as Operations
}

/** Creates the call of one kernel. Each call overwrites the same arrays of sizes and arguments. */
function createOperation(
  arena: Arena,
  kernels: RawKernels,
  kernel: KernelName,
  checkValues: boolean,
): (args: Arguments) => number {
  const parameters: readonly Parameter[] = contract[kernel]
  const matrices = checkValues ? parameters.filter((parameter) => 'shape' in parameter) : []
  const results = matrices.filter(({ kind }) => kind === 'output' || kind === 'update')
  const requireDisjoint = createOverlapCheck(kernel)
  const sizes: Record<string, number> = {}
  const raw: number[] = parameters.map(() => 0)
  const ends: number[] = parameters.map(() => 0)
  const readSizes = createSizeReader(kernel, parameters, sizes)
  return (args) => {
    readSizes(args)
    for (let i = 0; i < raw.length; i++) raw[i] = toRaw(arena, kernel, i, args, sizes, ends)
    requireDisjoint(raw, ends)
    for (const { name, finiteRows } of matrices) {
      requireFinite(kernels, kernel, name, args, finiteRows(sizes), 'non-finite-input')
    }
    const result = kernels[kernel](...raw) ?? 0
    for (const { name } of results) {
      requireFinite(kernels, kernel, name, args, Infinity, 'non-finite-result')
    }
    return result
  }
}

/** Sizes are passed as 32 bits; a larger one would wrap around. */
const MAX_SIZE = 2 ** 32 - 1

/**
 * Reads flags and sizes in the order of the contract, because a size may depend on earlier ones.
 */
function createSizeReader(
  kernel: KernelName,
  parameters: readonly Parameter[],
  sizes: Record<string, number>,
): (args: Arguments) => void {
  let args: Arguments = {}
  const given: Given = {
    rows: (name) => tensorOf(kernel, name, args).rows,
    columns: (name) => tensorOf(kernel, name, args).columns,
    length: (name) => listOf(kernel, name, args).length,
    size: (name) => sizes[name]!,
  }
  return (now) => {
    args = now
    for (const parameter of parameters) {
      if (parameter.kind === 'flag') sizes[parameter.name] = readFlag(kernel, parameter.name, args)
      if (parameter.kind === 'size') {
        sizes[parameter.name] = readSize(kernel, parameter, args, given)
      }
    }
    for (const parameter of parameters) {
      if (parameter.kind === 'size') requireDivides(kernel, parameter, sizes)
    }
  }
}

function readSize(
  kernel: KernelName,
  { name, from }: Size<string, boolean>,
  args: Arguments,
  given: Given,
): number {
  const size = from === null ? args[name] : from(given)
  if (typeof size === 'number' && Number.isInteger(size) && size >= 1 && size <= MAX_SIZE) {
    return size
  }
  throw invalid(
    `${kernel}: ${name} must be a positive integer below 2^32, got ${describeValue(size)}`,
  )
}

function readFlag(kernel: KernelName, name: string, args: Arguments): number {
  const value = args[name]
  if (value === true) return 1
  if (value === false || value === undefined) return 0
  throw invalid(`${kernel}: ${name} must be true or false, got ${describeValue(value)}`)
}

function requireDivides(
  kernel: KernelName,
  { name, divides }: Size<string, boolean>,
  sizes: Sizes,
): void {
  if (divides === undefined) return
  const remainder = sizes[divides]! % sizes[name]!
  if (remainder === 0) return
  throw invalid(
    `${kernel}: ${name} must divide the ${divides} of ${sizes[divides]}, got ${sizes[name]}`,
  )
}

/**
 * Checks the i-th argument and returns its raw value. Stores the end address of a tensor in `ends`.
 */
function toRaw(
  arena: Arena,
  kernel: KernelName,
  i: number,
  args: Arguments,
  sizes: Sizes,
  ends: number[],
): number {
  const parameter: Parameter = contract[kernel][i]!
  switch (parameter.kind) {
    case 'flag':
    case 'size':
      return sizes[parameter.name]!
    case 'scalar':
      return checkedScalar(kernel, parameter, args[parameter.name])
    case 'indices':
    case 'indices-output':
    case 'labels': {
      const list = listOf(kernel, parameter.name, args)
      ends[i] = list.address + 4 * list.length
      return checkedList(arena, kernel, parameter, list, sizes)
    }
    default: {
      const tensor = tensorOf(kernel, parameter.name, args)
      ends[i] = tensor.address + 4 * tensor.rows * tensor.columns
      return checkedMatrix(arena, kernel, parameter, tensor, sizes)
    }
  }
}

function checkedMatrix(
  arena: Arena,
  kernel: KernelName,
  parameter: Matrix<string>,
  tensor: Tensor,
  sizes: Sizes,
): number {
  requireOwned(arena, kernel, parameter.name, tensor)
  const [rows, columns] = parameter.shape(sizes)
  if (tensor.rows !== rows || tensor.columns !== columns) {
    throw shapeMismatch(
      `${kernel}: ${parameter.name} must be ${rows} × ${columns}, got ${tensor.rows} × ${tensor.columns}`,
    )
  }
  return tensor.address
}

function checkedList(
  arena: Arena,
  kernel: KernelName,
  parameter: Indices<string>,
  list: IndexTensor,
  sizes: Sizes,
): number {
  requireOwned(arena, kernel, parameter.name, list)
  const [length, bound] = [parameter.length(sizes), parameter.bound(sizes)]
  if (list.length !== length) {
    throw shapeMismatch(
      `${kernel}: ${parameter.name} must have ${length} entries, got ${list.length}`,
    )
  }
  if (parameter.kind === 'indices-output') {
    if (length <= bound) return list.address
    throw invalid(`${kernel}: ${parameter.name} must have at most ${bound} entries, got ${length}`)
  }
  const at = parameter.kind === 'labels' ? -1 : firstOutside(list.values, bound)
  if (at >= 0) {
    throw new RenError(
      'index-out-of-range',
      `${kernel}: ${parameter.name}[${at}] is ${list.values[at]}, expected 0 to ${bound - 1}`,
    )
  }
  return list.address
}

/**
 * Returns the index of the first number outside [0, bound), or −1. A loop is fastest for long
 * lists.
 */
function firstOutside(values: Int32Array, bound: number): number {
  for (let i = 0; i < values.length; i++) {
    if (values[i]! < 0 || values[i]! >= bound) return i
  }
  return -1
}

function requireFinite(
  kernels: RawKernels,
  kernel: KernelName,
  name: string,
  args: Arguments,
  maxRows: number,
  code: 'non-finite-input' | 'non-finite-result',
): void {
  if (maxRows === 0) return
  const tensor = tensorOf(kernel, name, args)
  const rows = Math.min(maxRows, tensor.rows)
  if (kernels.allFinite(rows, tensor.columns, tensor.address) === 1) return
  const at = tensor.values.findIndex((value) => !Number.isFinite(value))
  const [row, column] = [Math.floor(at / tensor.columns), at % tensor.columns]
  const what = code === 'non-finite-input' ? 'holds' : 'overflowed to'
  throw new RenError(
    code,
    `${kernel}: ${name} ${what} ${tensor.values[at]} in row ${row}, column ${column}; every value must be finite`,
  )
}

function requireOwned(
  arena: Arena,
  kernel: KernelName,
  name: string,
  tensor: Tensor | IndexTensor,
): void {
  if (arena.owns(tensor)) return
  throw new RenError(
    'use-after-free',
    `${kernel}: ${name} was released or belongs to another engine`,
  )
}

function checkedScalar(
  kernel: KernelName,
  { name, range: { least, most, whole } }: Scalar<string>,
  value: unknown,
): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new RenError(
      'non-finite-input',
      `${kernel}: ${name} must be a finite number, got ${describeValue(value)}`,
    )
  }
  if (value >= least && value <= most && (!whole || Number.isInteger(value))) return value
  throw invalid(
    `${kernel}: ${name} must be a ${whole ? 'whole ' : ''}number from ${least} to ${most}, got ${value}`,
  )
}

function tensorOf(kernel: KernelName, name: string, args: Arguments): Tensor {
  const value = args[name]
  if (typeof value === 'object' && value !== null && 'rows' in value) return value
  throw invalid(`${kernel}: ${name} must be a matrix, got ${describeValue(value)}`)
}

function listOf(kernel: KernelName, name: string, args: Arguments): IndexTensor {
  const value = args[name]
  if (typeof value === 'object' && value !== null && 'length' in value) return value
  throw invalid(`${kernel}: ${name} must be a list of row numbers, got ${describeValue(value)}`)
}

// The outputs of a kernel must not overlap its other arguments, because most kernels still read after
// they start to write. Elementwise kernels may write to one of their inputs.

/** The indices of a written parameter and of another one that it must not overlap. */
interface Pair {
  readonly written: number
  readonly other: number
  readonly mayBeEqual: boolean
}

const isWritten = ({ kind }: Parameter): boolean =>
  kind === 'output' || kind === 'update' || kind === 'scratch' || kind === 'indices-output'

/** Creates a check for overlaps, given the start and end address of each argument. */
function createOverlapCheck(
  kernel: KernelName,
): (starts: readonly number[], ends: readonly number[]) => void {
  const parameters: readonly Parameter[] = contract[kernel]
  const tensors = [...parameters.keys()].filter(
    (i) => 'shape' in parameters[i]! || 'bound' in parameters[i]!,
  )
  const pairs: readonly Pair[] = tensors
    .filter((i) => isWritten(parameters[i]!))
    .flatMap((written) =>
      tensors
        .filter((other) => other > written || !isWritten(parameters[other]!))
        .filter((other) => other !== written)
        .map((other) => ({
          written,
          other,
          mayBeEqual: elementwiseKernels.has(kernel) && !isWritten(parameters[other]!),
        })),
    )
  return (starts, ends) => {
    for (const { written, other, mayBeEqual } of pairs) {
      const isDisjoint = starts[written]! >= ends[other]! || starts[other]! >= ends[written]!
      if (isDisjoint || (mayBeEqual && starts[written] === starts[other])) continue
      throw invalid(
        `${kernel}: ${parameters[written]!.name} overlaps ${parameters[other]!.name} in memory`,
      )
    }
  }
}
