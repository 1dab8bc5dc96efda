// Memory for activations. Asking twice by the same name gives the same memory, grown where the
// second shape is larger, so a training loop allocates in its first step and never again.

import type { Engine } from './engine.ts'
import type { IndexTensor, Tensor } from './signature.ts'

/** Named buffers that grow and are used again, so that a repeated computation allocates nothing. */
export interface Workspace {
  /** Room for a matrix; what it holds is whatever was there before. */
  matrix(name: string, rows: number, columns: number): Tensor
  /** Room for a list. */
  list(name: string, length: number): IndexTensor
  /** A list with these row numbers. */
  indices(name: string, rows: Int32Array): IndexTensor
  /** The same memory under a prefix, for a layer of its own. */
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
    const known = lists.get(name)
    if (known?.length === length) return known
    if (known !== undefined) engine.free(known)
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
  // A joined name is hashed letter by letter at every lookup; one that is kept is hashed once.
  const joined = new Map<string, string>()
  const nameOf = (name: string): string => {
    const known = joined.get(name)
    if (known !== undefined) return known
    const full = `${prefix}.${name}`
    joined.set(name, full)
    return full
  }
  return {
    matrix: (name, rows, columns) => whole.matrix(nameOf(name), rows, columns),
    list: (name, length) => whole.list(nameOf(name), length),
    indices: (name, rows) => whole.indices(nameOf(name), rows),
    within: (inner) => whole.within(nameOf(inner)),
  }
}

// An engine as one of its users sees it, whose tensors go together when that user does.

/** An engine that records the tensors created through it, so that `release` can free them. */
export interface OwnMemory {
  /** The same engine; what is made through it is remembered. */
  readonly engine: Engine
  /** Frees all of it that is still there. */
  release(): void
}

/** Wraps an engine so that all tensors created through the wrapper can be freed at once. */
export function withOwnMemory(engine: Engine): OwnMemory {
  const own = new Set<Tensor | IndexTensor>()
  const remembered = <T extends Tensor | IndexTensor>(tensor: T): T => {
    own.add(tensor)
    return tensor
  }
  return {
    engine: {
      ...engine,
      matrix: (name, rows, columns) => remembered(engine.matrix(name, rows, columns)),
      vector: (name, length) => remembered(engine.vector(name, length)),
      indices: (name, length) => remembered(engine.indices(name, length)),
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
