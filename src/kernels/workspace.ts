// Memory for activations. A second request with the same name returns the same memory, grown if the
// shape is larger, so that a training loop allocates only in its first step.

import type { Engine } from './engine.ts'
import type { IndexTensor, Tensor } from './signature.ts'

/** Named buffers that are reused, so that a repeated computation allocates nothing. */
export interface Workspace {
  /** Returns a matrix with undefined contents. */
  matrix(name: string, rows: number, columns: number): Tensor
  /** Returns a list with undefined contents. */
  list(name: string, length: number): IndexTensor
  /** Returns a list with these row numbers. */
  indices(name: string, rows: Int32Array): IndexTensor
  /** Returns the same workspace with a prefix for all names, for a nested layer. */
  within(prefix: string): Workspace
}

/** Creates a workspace in an engine's memory. */
export function createWorkspace(engine: Engine): Workspace {
  const buffers = new Map<string, { whole: Tensor; part: Tensor }>()
  const lists = new Map<string, IndexTensor>()

  function matrix(name: string, rows: number, columns: number): Tensor {
    const buffer = buffers.get(name)
    if (buffer?.part.rows === rows && buffer.part.columns === columns) return buffer.part
    const whole = reuse(buffer?.whole, name, rows * columns)
    const part = engine.part(whole, 0, rows, columns)
    buffers.set(name, { whole, part })
    return part
  }

  function reuse(whole: Tensor | undefined, name: string, size: number): Tensor {
    if (whole !== undefined && whole.columns >= size) return whole
    if (whole !== undefined) engine.free(whole)
    return engine.vector(name, size)
  }

  function list(name: string, length: number): IndexTensor {
    const existing = lists.get(name)
    if (existing?.length === length) return existing
    if (existing !== undefined) engine.free(existing)
    const created = engine.indices(name, length)
    lists.set(name, created)
    return created
  }

  function indices(name: string, rows: Int32Array): IndexTensor {
    const filled = list(name, rows.length)
    filled.values.set(rows)
    return filled
  }

  const whole: Workspace = { matrix, list, indices, within: (prefix) => withPrefix(whole, prefix) }
  return whole
}

function withPrefix(whole: Workspace, prefix: string): Workspace {
  // A concatenated string is hashed at every lookup; a cached one is hashed once.
  const fullNames = new Map<string, string>()
  const nameOf = (name: string): string => {
    const existing = fullNames.get(name)
    if (existing !== undefined) return existing
    const full = `${prefix}.${name}`
    fullNames.set(name, full)
    return full
  }
  return {
    matrix: (name, rows, columns) => whole.matrix(nameOf(name), rows, columns),
    list: (name, length) => whole.list(nameOf(name), length),
    indices: (name, rows) => whole.indices(nameOf(name), rows),
    within: (inner) => whole.within(nameOf(inner)),
  }
}

/** An engine that records the tensors created through it, so that `release` can free them. */
export interface OwnMemory {
  /** The same engine, which records the created tensors. */
  readonly engine: Engine
  /** Frees all recorded tensors that are not freed yet. */
  release(): void
}

/** Wraps an engine so that all tensors created through the wrapper can be freed at once. */
export function withOwnMemory(engine: Engine): OwnMemory {
  const own = new Set<Tensor | IndexTensor>()
  const record = <T extends Tensor | IndexTensor>(tensor: T): T => {
    own.add(tensor)
    return tensor
  }
  return {
    engine: {
      ...engine,
      matrix: (name, rows, columns) => record(engine.matrix(name, rows, columns)),
      vector: (name, length) => record(engine.vector(name, length)),
      indices: (name, length) => record(engine.indices(name, length)),
      free(tensor) {
        engine.free(tensor)
        own.delete(tensor)
      },
    },
    release() {
      for (const tensor of own) engine.free(tensor)
      own.clear()
    },
  }
}
