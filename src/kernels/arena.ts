// One engine's memory: a first-fit allocator over a WebAssembly memory, and tensors whose views
// are made anew when the memory has grown, so that nobody reads through a stale one.

import { RenError } from '../core/errors.ts'
import type { IndexTensor, Tensor } from './signature.ts'

const PAGE = 65_536
const MAXIMUM_PAGES = 65_536
const ALIGNMENT = 64
const GROWTH = 256 // pages at a time, at least: 16 MB

/** Hands out tensors; each lives until it is freed, or its scope ends. */
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
}

export function createMemory(shared: boolean): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: 1, maximum: MAXIMUM_PAGES, shared })
}

export function createArena(memory: WebAssembly.Memory): Arena {
  const blocks = createBlocks(memory)
  const alive = new Set<Tensor | IndexTensor>()
  const wholeOf = new WeakMap<Tensor | IndexTensor, Tensor>()
  const isAlive = (tensor: Tensor | IndexTensor) => alive.has(wholeOf.get(tensor) ?? tensor)

  const allocator = (born: (tensor: Tensor | IndexTensor) => void): Allocator => {
    const matrix = (name: string, rows: number, columns: number): Tensor => {
      requireCount(name, 'rows', rows)
      requireCount(name, 'columns', columns)
      const address = blocks.allocate(name, rows * columns * 4)
      const view = currentView(memory, (b) => new Float32Array(b, address, rows * columns))
      const tensor: Tensor = {
        name,
        address,
        rows,
        columns,
        get values() {
          return view(name, isAlive(tensor))
        },
      }
      alive.add(tensor)
      born(tensor)
      return tensor
    }
    const indices = (name: string, length: number): IndexTensor => {
      requireCount(name, 'entries', length)
      const address = blocks.allocate(name, length * 4)
      const view = currentView(memory, (b) => new Int32Array(b, address, length))
      const tensor: IndexTensor = {
        name,
        address,
        length,
        get values() {
          return view(name, isAlive(tensor))
        },
      }
      alive.add(tensor)
      born(tensor)
      return tensor
    }
    return { matrix, indices, vector: (name, length) => matrix(name, 1, length), part, free }
  }

  function part(tensor: Tensor, firstRow: number, rows: number, columns = tensor.columns): Tensor {
    requireCount(tensor.name, 'rows', rows)
    requireCount(tensor.name, 'columns', columns)
    const start = firstRow * tensor.columns
    if (
      !(
        Number.isSafeInteger(start) &&
        start >= 0 &&
        start + rows * columns <= tensor.rows * tensor.columns
      )
    ) {
      throw new RenError(
        'shape-mismatch',
        `${tensor.name}: ${rows} × ${columns} from row ${firstRow} on is not within ${tensor.rows} × ${tensor.columns}`,
      )
    }
    const { name } = tensor
    const address = tensor.address + start * 4
    const view = currentView(memory, (b) => new Float32Array(b, address, rows * columns))
    const result: Tensor = {
      name,
      address,
      rows,
      columns,
      get values() {
        return view(name, isAlive(result))
      },
    }
    wholeOf.set(result, wholeOf.get(tensor) ?? tensor)
    return result
  }

  function free(tensor: Tensor | IndexTensor): void {
    if (!alive.delete(tensor)) throw released(tensor.name)
    blocks.free(tensor.address)
  }

  function scope<T>(body: (temporary: Allocator) => T): T {
    const mine: (Tensor | IndexTensor)[] = []
    try {
      return body(allocator((tensor) => mine.push(tensor)))
    } finally {
      for (const tensor of mine) if (alive.has(tensor)) free(tensor)
    }
  }

  return {
    ...allocator(() => {}),
    memory,
    reserve: (what, bytes) => blocks.allocate(what, bytes),
    scope,
    owns: isAlive,
  }
}

/** A view that is remade when the memory's buffer has changed, and refused once freed. */
function currentView<V extends { readonly buffer: ArrayBufferLike }>(
  memory: WebAssembly.Memory,
  make: (buffer: ArrayBuffer) => V,
): (name: string, alive: boolean) => V {
  let view = make(memory.buffer)
  return (name, alive) => {
    if (!alive) throw released(name)
    if (view.buffer !== memory.buffer) view = make(memory.buffer)
    return view
  }
}

interface Blocks {
  allocate(what: string, bytes: number): number
  free(address: number): void
}

/** First fit over a list of holes sorted by address; neighbours are joined when freed. */
function createBlocks(memory: WebAssembly.Memory): Blocks {
  // Address 0 is never handed out, so a forgotten address is never a valid one.
  const holes = [{ address: ALIGNMENT, bytes: memory.buffer.byteLength - ALIGNMENT }]
  const sizes = new Map<number, number>()

  function allocate(what: string, bytes: number): number {
    const needed = Math.ceil(bytes / ALIGNMENT) * ALIGNMENT
    let at = holes.findIndex((hole) => hole.bytes >= needed)
    if (at < 0) {
      addHole(grow(memory, what, needed))
      at = holes.findIndex((hole) => hole.bytes >= needed)
    }
    const hole = holes[at]!
    if (hole.bytes === needed) holes.splice(at, 1)
    else holes[at] = { address: hole.address + needed, bytes: hole.bytes - needed }
    sizes.set(hole.address, needed)
    new Uint8Array(memory.buffer, hole.address, needed).fill(0)
    return hole.address
  }

  function free(address: number): void {
    addHole({ address, bytes: sizes.get(address)! })
    sizes.delete(address)
  }

  function addHole(hole: { address: number; bytes: number }): void {
    let at = holes.findIndex((h) => h.address > hole.address)
    if (at < 0) at = holes.length
    holes.splice(at, 0, hole)
    joinWithNext(at)
    if (at > 0) joinWithNext(at - 1)
  }

  function joinWithNext(at: number): void {
    const [hole, next] = [holes[at]!, holes[at + 1]]
    if (next === undefined || hole.address + hole.bytes !== next.address) return
    holes.splice(at, 2, { address: hole.address, bytes: hole.bytes + next.bytes })
  }

  return { allocate, free }
}

/** Grows the memory by at least `bytes` and returns the new part. */
function grow(memory: WebAssembly.Memory, what: string, bytes: number) {
  const before = memory.buffer.byteLength
  const needed = Math.ceil(bytes / PAGE)
  const room = MAXIMUM_PAGES - before / PAGE
  const refused = (reason: string, cause?: unknown) =>
    new RenError(
      'out-of-memory',
      `${what} needs ${bytes.toLocaleString('en')} bytes beside the ${before.toLocaleString('en')} in use: ${reason}`,
      { cause },
    )
  if (needed > room) throw refused('one engine addresses 4 GB')
  try {
    memory.grow(Math.min(room, Math.max(needed, GROWTH)))
  } catch (error) {
    throw refused('the machine refused to grow the memory', error)
  }
  return { address: before, bytes: memory.buffer.byteLength - before }
}

function requireCount(name: string, what: string, count: number): void {
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new RenError(
      'invalid-argument',
      `${name} must have at least one of its ${what}, got ${count}`,
    )
  }
}

function released(name: string): RenError {
  return new RenError('use-after-free', `${name} was used after it was released`)
}
