// The memory of an engine: tensors in blocks of a WebAssembly memory. When the memory grows, tensors
// recreate their views, so that no code reads a detached one.

import { describeValue } from '../core/describe-value.ts'
import { RenError, invalid, shapeMismatch } from '../core/errors.ts'
import type { IndexTensor, Tensor } from './signature.ts'

/** Creates tensors. A tensor lives until you free it, its scope ends, or its engine closes. */
export interface Allocator {
  /** Creates a zero matrix. Errors refer to it by `name`. */
  matrix(name: string, rows: number, columns: number): Tensor
  /** Creates a zero matrix of one row. */
  vector(name: string, length: number): Tensor
  /** Creates a list of row numbers, all zero. */
  indices(name: string, length: number): IndexTensor
  /** Returns rows of a tensor as a tensor that shares its memory and lifetime. */
  part(tensor: Tensor, firstRow: number, rows: number, columns?: number): Tensor
  /** Frees the memory of a tensor. The tensor cannot be used afterwards. */
  free(tensor: Tensor | IndexTensor): void
}

export interface Arena extends Allocator {
  readonly memory: WebAssembly.Memory
  /** Reserves bytes for the engine itself, which are never freed. Returns their address. */
  reserve(what: string, bytes: number): number
  /** Runs `body` with an allocator whose tensors are freed when it returns or throws. */
  scope<T>(body: (temporary: Allocator) => T): T
  /** Returns whether this arena created the tensor and it is not freed. */
  owns(tensor: Tensor | IndexTensor): boolean
  /** Invalidates all tensors and refuses further allocations. */
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
    throw new RenError('out-of-memory', 'the system refused the memory of an engine', { cause })
  }
}

export function createArena(memory: WebAssembly.Memory): Arena {
  const owner = new Blocks(memory)

  function scope<T>(body: (temporary: Allocator) => T): T {
    if (typeof body !== 'function') {
      throw invalid(`scope: body must be a function, got ${describeValue(body)}`)
    }
    const created: AnyTensor[] = []
    try {
      return body(createAllocator(owner, (tensor) => created.push(tensor)))
    } finally {
      for (const tensor of created) if (owns(owner, tensor)) free(owner, tensor)
    }
  }

  return {
    ...createAllocator(owner, () => {}),
    memory,
    reserve: (what, bytes) => owner.allocate(what, bytes),
    scope,
    owns: (tensor) => owns(owner, tensor),
    close() {
      owner.closed = true
    },
  }
}

function createAllocator(owner: Blocks, onCreate: (tensor: AnyTensor) => void): Allocator {
  const allocate = (name: string, values: number): Origin => {
    const address = owner.allocate(name, values * 4)
    return { life: { owner, freed: false }, name, address, isPart: false }
  }
  const register = <T extends AnyTensor>(tensor: T): T => {
    onCreate(tensor)
    return tensor
  }
  const matrix = (name: string, rows: number, columns: number): Tensor => {
    requireCount(name, 'rows', rows)
    requireCount(name, 'columns', columns)
    return register(new MatrixPlace(allocate(name, rows * columns), rows, columns))
  }
  const indices = (name: string, length: number): IndexTensor => {
    requireCount(name, 'entries', length)
    return register(new ListPlace(allocate(name, length), length))
  }
  return {
    matrix,
    indices,
    vector: (name, length) => matrix(name, 1, length),
    part: (tensor, firstRow, rows, columns) => part(owner, tensor, firstRow, rows, columns),
    free: (tensor) => free(owner, tensor),
  }
}

function owns(owner: Blocks, tensor: object): boolean {
  const life = Place.lifeOf(tensor)
  return life?.owner === owner && isAlive(life)
}

function part(
  owner: Blocks,
  tensor: Tensor,
  firstRow: number,
  rows: number,
  columns?: number,
): Tensor {
  requireTensor('part', tensor)
  if (!owns(owner, tensor)) throw released(tensor.name)
  const width = columns ?? tensor.columns
  // A part may be empty, such as the items of an empty catalog.
  if (rows !== 0) requireCount(tensor.name, 'rows', rows)
  requireCount(tensor.name, 'columns', width)
  const start = firstRow * tensor.columns
  const fits = start + rows * width <= tensor.rows * tensor.columns
  if (!Number.isSafeInteger(firstRow) || firstRow < 0 || !fits) {
    throw shapeMismatch(
      `${tensor.name}: a part of ${rows} × ${width} from row ${firstRow} exceeds ${tensor.rows} × ${tensor.columns}`,
    )
  }
  const [life, address] = [Place.lifeOf(tensor)!, tensor.address + start * 4]
  return new MatrixPlace({ life, name: tensor.name, address, isPart: true }, rows, width)
}

function free(owner: Blocks, tensor: AnyTensor): void {
  requireTensor('free', tensor)
  if (tensor instanceof Place && tensor.isPart) {
    throw invalid(`${tensor.name} is a part; free the whole`)
  }
  if (!owns(owner, tensor)) throw released(tensor.name)
  Place.lifeOf(tensor)!.freed = true
  owner.free(tensor.address)
}

function requireCount(name: string, what: string, count: number): void {
  if (!Number.isSafeInteger(count) || count < 1) {
    throw invalid(`${name}: the number of ${what} must be at least 1, got ${count}`)
  }
}

function requireTensor(call: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && 'address' in value) return
  throw invalid(`${call}: the argument must be a tensor, got ${describeValue(value)}`)
}

// Each tensor holds its lifetime in a private field, because every kernel call checks it for every
// argument.

/** The lifetime that a tensor shares with its parts. */
interface Life {
  readonly owner: Blocks
  freed: boolean
}

const isAlive = ({ owner, freed }: Life): boolean => !freed && !owner.closed

/** What a tensor and its parts have in common, and where it is. */
interface Origin {
  readonly life: Life
  readonly name: string
  readonly address: number
  readonly isPart: boolean
}

class Place<V extends Float32Array | Int32Array> {
  readonly name: string
  readonly address: number
  readonly isPart: boolean
  readonly #life: Life
  readonly #view: (buffer: ArrayBuffer) => V
  #current: V

  constructor({ life, name, address, isPart }: Origin, view: (buffer: ArrayBuffer) => V) {
    this.name = name
    this.address = address
    this.isPart = isPart
    this.#life = life
    this.#view = view
    this.#current = view(life.owner.memory.buffer)
  }

  /** Returns undefined for objects that no arena created. */
  static lifeOf(value: object): Life | undefined {
    return #life in value ? value.#life : undefined
  }

  /** The current view, recreated after the memory has grown. Throws after the tensor is freed. */
  get values(): V {
    if (!isAlive(this.#life)) throw released(this.name)
    const { buffer } = this.#life.owner.memory
    if (this.#current.buffer !== buffer) this.#current = this.#view(buffer)
    return this.#current
  }
}

class MatrixPlace extends Place<Float32Array> implements Tensor {
  readonly rows: number
  readonly columns: number

  constructor(origin: Origin, rows: number, columns: number) {
    super(origin, (buffer) => new Float32Array(buffer, origin.address, rows * columns))
    this.rows = rows
    this.columns = columns
  }
}

class ListPlace extends Place<Int32Array> implements IndexTensor {
  readonly length: number

  constructor(origin: Origin, length: number) {
    super(origin, (buffer) => new Int32Array(buffer, origin.address, length))
    this.length = length
  }
}

function released(name: string): RenError {
  return new RenError('use-after-free', `${name} was released, or belongs to another engine`)
}

// A first-fit allocator over a list of holes sorted by address. Freed neighbors are merged.

const PAGE = 65_536
/** The maximum of a WebAssembly memory in pages: 4 GB. */
const MAXIMUM_PAGES = 65_536
const ALIGNMENT = 64
const GROWTH = 256 // the minimum growth in pages: 16 MB

class Blocks {
  readonly memory: WebAssembly.Memory
  /** Set when the engine closes, which ends the life of all tensors. */
  closed = false
  readonly #holes: { readonly address: number; readonly bytes: number }[]
  readonly #sizes = new Map<number, number>()
  #inUse = 0
  /** Addresses from here on were never allocated: these pages are zero and take no memory yet. */
  #fresh = ALIGNMENT

  constructor(memory: WebAssembly.Memory) {
    this.memory = memory
    // Address 0 is never allocated, so that an unset address is never valid.
    this.#holes = [{ address: ALIGNMENT, bytes: memory.buffer.byteLength - ALIGNMENT }]
  }

  /** Allocates zeroed bytes and returns their address. Errors refer to them by `what`. */
  allocate(what: string, bytes: number): number {
    if (this.closed) throw new RenError('use-after-free', `${what}: the engine was closed`)
    const needed = Math.ceil(bytes / ALIGNMENT) * ALIGNMENT
    let at = this.#holes.findIndex((hole) => hole.bytes >= needed)
    if (at < 0) {
      this.#grow(what, needed)
      at = this.#holes.length - 1
    }
    const { address, bytes: size } = this.#holes[at]!
    if (size === needed) this.#holes.splice(at, 1)
    else this.#holes[at] = { address: address + needed, bytes: size - needed }
    this.#sizes.set(address, needed)
    this.#inUse += needed
    const used = Math.min(needed, this.#fresh - address)
    if (used > 0) new Uint8Array(this.memory.buffer, address, used).fill(0)
    this.#fresh = Math.max(this.#fresh, address + needed)
    return address
  }

  free(address: number): void {
    const bytes = this.#sizes.get(address)!
    this.#sizes.delete(address)
    this.#inUse -= bytes
    this.#addHole(address, bytes)
  }

  /** Grows the memory until the hole at its end is large enough. */
  #grow(what: string, needed: number): void {
    const { memory } = this
    const end = memory.buffer.byteLength
    const last = this.#holes.at(-1)
    const atEnd = last !== undefined && last.address + last.bytes === end ? last.bytes : 0
    const missing = Math.ceil((needed - atEnd) / PAGE)
    const available = MAXIMUM_PAGES - end / PAGE
    const refused = (reason: string, cause?: unknown) =>
      new RenError(
        'out-of-memory',
        `${what} needs ${needed.toLocaleString('en')} bytes in addition to the ${this.#inUse.toLocaleString('en')} in use: ${reason}`,
        { cause },
      )
    if (missing > available) throw refused('one engine addresses 4 GB')
    try {
      memory.grow(Math.min(available, Math.max(missing, GROWTH)))
    } catch (error) {
      throw refused('the system refused to grow the memory', error)
    }
    this.#addHole(end, memory.buffer.byteLength - end)
  }

  #addHole(address: number, bytes: number): void {
    const after = this.#holes.findIndex((hole) => hole.address > address)
    const at = after < 0 ? this.#holes.length : after
    this.#holes.splice(at, 0, { address, bytes })
    this.#mergeWithNext(at)
    if (at > 0) this.#mergeWithNext(at - 1)
  }

  #mergeWithNext(at: number): void {
    const [hole, next] = [this.#holes[at]!, this.#holes[at + 1]]
    if (next === undefined || hole.address + hole.bytes !== next.address) return
    this.#holes.splice(at, 2, { address: hole.address, bytes: hole.bytes + next.bytes })
  }
}
