// One engine's memory: tensors over the blocks of a WebAssembly memory. Their views are
// created again when the memory has grown, so that no code reads through a stale one.

import { RenError } from '../core/errors.ts'
import { MAXIMUM_PAGES, createBlocks } from './blocks.ts'
import type { IndexTensor, Tensor } from './signature.ts'
import { indicesAt, isAlive, isPart, lifeOf, matrixAt, partAt, released } from './tensors.ts'
import type { Life, Owner } from './tensors.ts'

/** Hands out tensors; each lives until it is freed, its scope ends or its engine is closed. */
export interface Allocator {
  /** A zero matrix; `name` is what errors call it. */
  matrix(name: string, rows: number, columns: number): Tensor
  /** A zero matrix of one row. */
  vector(name: string, length: number): Tensor
  /** A list of row numbers, all zero. */
  indices(name: string, length: number): IndexTensor
  /** Rows of a tensor as a tensor of its own, on the same memory and as long-lived. */
  part(tensor: Tensor, firstRow: number, rows: number, columns?: number): Tensor
  free(tensor: Tensor | IndexTensor): void
}

export interface Arena extends Allocator {
  readonly memory: WebAssembly.Memory
  /** Raw bytes for an engine's own use, never freed. */
  reserve(what: string, bytes: number): number
  /** Runs `body` with an allocator whose tensors are freed when it returns or throws. */
  scope<T>(body: (temporary: Allocator) => T): T
  /** Whether the tensor was made here and is alive. */
  owns(tensor: Tensor | IndexTensor): boolean
  /** Ends the life of every tensor; from now on nothing is handed out. */
  close(): void
}

type AnyTensor = Tensor | IndexTensor

export function createMemory(shared: boolean): WebAssembly.Memory {
  if (typeof WebAssembly === 'undefined') {
    throw new RenError(
      'unsupported-platform',
      'this runtime has no WebAssembly, which engines need',
    )
  }
  try {
    return new WebAssembly.Memory({ initial: 1, maximum: MAXIMUM_PAGES, shared })
  } catch (cause) {
    throw new RenError('out-of-memory', 'the machine refused an engine its memory', { cause })
  }
}

export function createArena(memory: WebAssembly.Memory): Arena {
  const blocks = createBlocks(memory)
  const owner: Owner = { memory, closed: false }
  const owns = (tensor: object): boolean => {
    const life = lifeOf(tensor)
    return life !== undefined && life.owner === owner && isAlive(life)
  }

  function reserve(what: string, bytes: number): number {
    if (owner.closed) throw new RenError('use-after-free', `${what}: the engine was closed`)
    return blocks.allocate(what, bytes)
  }

  function part(tensor: Tensor, firstRow: number, rows: number, columns?: number): Tensor {
    requireTensor('part', tensor)
    if (!owns(tensor)) throw released(tensor.name)
    const width = columns ?? tensor.columns
    // A part may be empty: the items of a catalog that has none yet.
    if (rows !== 0) requireCount(tensor.name, 'rows', rows)
    requireCount(tensor.name, 'columns', width)
    const start = firstRow * tensor.columns
    const fits = start + rows * width <= tensor.rows * tensor.columns
    if (!Number.isSafeInteger(firstRow) || firstRow < 0 || !fits) {
      throw new RenError(
        'shape-mismatch',
        `${tensor.name}: ${rows} × ${width} from row ${firstRow} on is not within ${tensor.rows} × ${tensor.columns}`,
      )
    }
    return partAt(tensor, tensor.address + start * 4, rows, width)
  }

  function free(tensor: AnyTensor): void {
    requireTensor('free', tensor)
    if (isPart(tensor)) {
      throw new RenError('invalid-argument', `${tensor.name} is a part; free the whole`)
    }
    if (!owns(tensor)) throw released(tensor.name)
    lifeOf(tensor)!.freed = true
    blocks.free(tensor.address)
  }

  const newLife = (): Life => ({ owner, freed: false })
  const allocator = (born: (tensor: AnyTensor) => void): Allocator => {
    const welcome = <T extends AnyTensor>(tensor: T): T => {
      born(tensor)
      return tensor
    }
    const matrix = (name: string, rows: number, columns: number): Tensor => {
      requireCount(name, 'rows', rows)
      requireCount(name, 'columns', columns)
      const address = reserve(name, rows * columns * 4)
      return welcome(matrixAt(newLife(), name, address, rows, columns))
    }
    const indices = (name: string, length: number): IndexTensor => {
      requireCount(name, 'entries', length)
      return welcome(indicesAt(newLife(), name, reserve(name, length * 4), length))
    }
    return { matrix, indices, vector: (name, length) => matrix(name, 1, length), part, free }
  }

  function scope<T>(body: (temporary: Allocator) => T): T {
    if (typeof body !== 'function') {
      throw new RenError('invalid-argument', `scope: body must be a function, got ${kindOf(body)}`)
    }
    const mine: AnyTensor[] = []
    try {
      return body(allocator((tensor) => mine.push(tensor)))
    } finally {
      for (const tensor of mine) if (owns(tensor)) free(tensor)
    }
  }

  function close(): void {
    owner.closed = true
  }

  return { ...allocator(() => {}), memory, reserve, scope, owns, close }
}

function requireCount(name: string, what: string, count: number): void {
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new RenError(
      'invalid-argument',
      `${name} must have at least one of its ${what}, got ${count}`,
    )
  }
}

function requireTensor(call: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && 'address' in value) return
  throw new RenError('invalid-argument', `${call}: expected a tensor, got ${kindOf(value)}`)
}

const kindOf = (value: unknown): string => (value === null ? 'null' : typeof value)
