// Normalizes embeddings: x = μ·scale has a mean length of 1, so that the settings of LinUCB, LinTS
// and NeuralUCB mean the same for every model.

import type { Engine, Tensor } from '../kernels/index.ts'
import type { Decision } from '../core/types.ts'

/**
 * Computes 1 over the mean ‖μ‖ of the whole catalog, or 1 if all μ are zero. Caches it until μ
 * changes.
 */
export function createEmbeddingScale(engine: Engine): (decision: Decision) => number {
  let cached: { items: Tensor; version: number; scale: number } | null = null
  return ({ items, itemsVersion: version }) => {
    if (cached?.items !== items || cached.version !== version) {
      cached = { items, version, scale: scaleOf(engine, items) }
    }
    return cached.scale
  }
}

function scaleOf(engine: Engine, items: Tensor): number {
  return engine.scope((temporary) => {
    const norms = temporary.vector('norms', items.rows)
    engine.operations.rowNorms({ x: items, out: norms })
    const sum = norms.values.reduce((total, norm) => total + norm, 0)
    return sum === 0 ? 1 : items.rows / sum
  })
}
