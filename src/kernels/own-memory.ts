// An engine as one of its users sees it, whose tensors go together when that user does.

import type { Engine } from './engine.ts'
import type { IndexTensor, Tensor } from './signature.ts'

export interface OwnMemory {
  /** The same engine; what is made through it is remembered. */
  readonly engine: Engine
  /** Frees all of it that is still there. */
  release(): void
}

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
