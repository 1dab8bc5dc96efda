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

/** The call of one kernel. Each call overwrites the arguments, sizes and addresses of the last one. */
interface Call {
  readonly arena: Arena
  readonly kernels: RawKernels
  readonly kernel: KernelName
  args: Arguments
  readonly sizes: Record<string, number>
  /** The arguments as the kernel takes them: numbers, and the addresses of tensors. */
  readonly raw: number[]
  /** The end address of each tensor. */
  readonly ends: number[]
}

function createOperation(
  arena: Arena,
  kernels: RawKernels,
  kernel: KernelName,
  checkValues: boolean,
): (args: Arguments) => number {
  const parameters: readonly Parameter[] = contract[kernel]
  const matrices = checkValues ? parameters.filter((parameter) => 'shape' in parameter) : []
  const results = matrices.filter(({ kind }) => kind === 'output' || kind === 'update')
  const [raw, ends] = [parameters.map(() => 0), parameters.map(() => 0)]
  const call: Call = { arena, kernels, kernel, args: {}, sizes: {}, raw, ends }
  const given = givenOf(call)
  const requireDisjoint = createOverlapCheck(call)
  return (args) => {
    call.args = args
    readSizes(call, parameters, given)
    for (let i = 0; i < raw.length; i++) raw[i] = toRaw(call, parameters[i]!, i)
    requireDisjoint()
    for (const { name, finiteRows } of matrices) {
      requireFinite(call, name, finiteRows(call.sizes), 'non-finite-input')
    }
    const result = kernels[kernel](...raw) ?? 0
    for (const { name } of results) requireFinite(call, name, Infinity, 'non-finite-result')
    return result
  }
}

const givenOf = (call: Call): Given => ({
  rows: (name) => tensorOf(call, name).rows,
  columns: (name) => tensorOf(call, name).columns,
  length: (name) => listOf(call, name).length,
  size: (name) => call.sizes[name]!,
})

/** Sizes are passed as 32 bits; a larger one would wrap around. */
const MAX_SIZE = 2 ** 32 - 1

/**
 * Reads flags and sizes in the order of the contract, because a size may depend on earlier ones.
 */
function readSizes(call: Call, parameters: readonly Parameter[], given: Given): void {
  for (const parameter of parameters) {
    if (parameter.kind === 'flag') call.sizes[parameter.name] = readFlag(call, parameter.name)
    if (parameter.kind === 'size') call.sizes[parameter.name] = readSize(call, parameter, given)
  }
  for (const parameter of parameters) {
    if (parameter.kind === 'size') requireDivides(call, parameter)
  }
}

function readSize(
  { kernel, args }: Call,
  { name, from }: Size<string, boolean>,
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

function readFlag({ kernel, args }: Call, name: string): number {
  const value = args[name]
  if (value === true) return 1
  if (value === false || value === undefined) return 0
  throw invalid(`${kernel}: ${name} must be a boolean, got ${describeValue(value)}`)
}

function requireDivides({ kernel, sizes }: Call, { name, divides }: Size<string, boolean>): void {
  if (divides === undefined) return
  const remainder = sizes[divides]! % sizes[name]!
  if (remainder === 0) return
  throw invalid(
    `${kernel}: ${name} must divide the ${divides} of ${sizes[divides]}, got ${sizes[name]}`,
  )
}

/** Checks the i-th argument and returns its raw value. */
function toRaw(call: Call, parameter: Parameter, i: number): number {
  const { name } = parameter
  switch (parameter.kind) {
    case 'flag':
    case 'size':
      return call.sizes[name]!
    case 'scalar':
      return checkedScalar(call.kernel, parameter, call.args[name])
    case 'indices':
    case 'indices-output':
    case 'labels': {
      const list = listOf(call, name)
      call.ends[i] = list.address + 4 * list.length
      return checkedList(call, parameter, list)
    }
    default: {
      const tensor = tensorOf(call, name)
      call.ends[i] = tensor.address + 4 * tensor.rows * tensor.columns
      return checkedMatrix(call, parameter, tensor)
    }
  }
}

function checkedMatrix(call: Call, { name, shape }: Matrix<string>, tensor: Tensor): number {
  requireOwned(call, name, tensor)
  const [rows, columns] = shape(call.sizes)
  if (tensor.rows === rows && tensor.columns === columns) return tensor.address
  throw shapeMismatch(
    `${call.kernel}: ${name} must be ${rows} × ${columns}, got ${tensor.rows} × ${tensor.columns}`,
  )
}

function checkedList(call: Call, parameter: Indices<string>, list: IndexTensor): number {
  const { kernel, sizes } = call
  const { kind, name } = parameter
  requireOwned(call, name, list)
  const [length, bound] = [parameter.length(sizes), parameter.bound(sizes)]
  if (list.length !== length) {
    throw shapeMismatch(`${kernel}: ${name} must have ${length} entries, got ${list.length}`)
  }
  if (kind === 'indices-output' && length > bound) {
    throw invalid(`${kernel}: ${name} must have at most ${bound} entries, got ${length}`)
  }
  const at = kind === 'indices' ? firstOutside(list.values, bound) : -1
  if (at < 0) return list.address
  throw new RenError(
    'index-out-of-range',
    `${kernel}: ${name}[${at}] must be from 0 to ${bound - 1}, got ${list.values[at]}`,
  )
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
  call: Call,
  name: string,
  maxRows: number,
  code: 'non-finite-input' | 'non-finite-result',
): void {
  if (maxRows === 0) return
  const tensor = tensorOf(call, name)
  const rows = Math.min(maxRows, tensor.rows)
  if (call.kernels.allFinite(rows, tensor.columns, tensor.address) === 1) return
  const at = tensor.values.findIndex((value) => !Number.isFinite(value))
  const [row, column] = [Math.floor(at / tensor.columns), at % tensor.columns]
  const what = code === 'non-finite-input' ? 'holds' : 'overflowed to'
  throw new RenError(
    code,
    `${call.kernel}: ${name} ${what} ${tensor.values[at]} in row ${row}, column ${column}; every value must be finite`,
  )
}

function requireOwned({ arena, kernel }: Call, name: string, tensor: Tensor | IndexTensor): void {
  if (arena.owns(tensor)) return
  throw new RenError(
    'use-after-free',
    `${kernel}: ${name} was released or belongs to another engine`,
  )
}

function checkedScalar(
  kernel: KernelName,
  { name, range: { min, max, integer } }: Scalar<string>,
  value: unknown,
): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new RenError(
      'non-finite-input',
      `${kernel}: ${name} must be a finite number, got ${describeValue(value)}`,
    )
  }
  if (value >= min && value <= max && (!integer || Number.isInteger(value))) return value
  throw invalid(
    `${kernel}: ${name} must be ${integer ? 'an integer' : 'a number'} from ${min} to ${max}, got ${value}`,
  )
}

function tensorOf({ kernel, args }: Call, name: string): Tensor {
  const value = args[name]
  if (typeof value === 'object' && value !== null && 'rows' in value) return value
  throw invalid(`${kernel}: ${name} must be a matrix, got ${describeValue(value)}`)
}

function listOf({ kernel, args }: Call, name: string): IndexTensor {
  const value = args[name]
  if (typeof value === 'object' && value !== null && 'length' in value) return value
  throw invalid(`${kernel}: ${name} must be an array of row numbers, got ${describeValue(value)}`)
}

// The outputs of a kernel must not overlap its other arguments, because most kernels still read after
// they start to write. Elementwise kernels may write to one of their inputs.

const isWritten = ({ kind }: Parameter): boolean =>
  kind === 'output' || kind === 'update' || kind === 'scratch' || kind === 'indices-output'

/** Creates a check for overlaps of the addresses of a call. */
function createOverlapCheck({ kernel, raw, ends }: Call): () => void {
  const parameters: readonly Parameter[] = contract[kernel]
  const tensors = [...parameters.keys()].filter(
    (i) => 'shape' in parameters[i]! || 'bound' in parameters[i]!,
  )
  // The indices of a written parameter and of another one that it must not overlap.
  const pairs = tensors
    .filter((i) => isWritten(parameters[i]!))
    .flatMap((written) =>
      tensors
        .filter((other) => other > written || !isWritten(parameters[other]!))
        .map((other) => ({
          written,
          other,
          mayBeEqual: elementwiseKernels.has(kernel) && !isWritten(parameters[other]!),
        })),
    )
  return () => {
    for (const { written, other, mayBeEqual } of pairs) {
      const isDisjoint = raw[written]! >= ends[other]! || raw[other]! >= ends[written]!
      if (isDisjoint || (mayBeEqual && raw[written] === raw[other])) continue
      throw invalid(
        `${kernel}: ${parameters[written]!.name} overlaps ${parameters[other]!.name} in memory`,
      )
    }
  }
}
