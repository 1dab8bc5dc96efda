// Softmax cross-entropy over the whole catalogue.

import { gatherTargets, mean, noCandidates } from './loss.ts'
import type { Loss } from './loss.ts'

// A chunk of logits this big stays in the second-level cache (2 MB), which is worth a third of the
// step; very large catalogues still get a few rows a chunk.
const CHUNK_VALUES = 2 ** 19

export function softmax(): Loss {
  return {
    name: 'softmax',
    scoresAll: true,
    candidates: () => noCandidates,
    apply(scored, targets) {
      const { engine, workspace, items, dItems } = scored
      const count = targets.rows.length
      const { hidden, back } = gatherTargets(scored, targets)
      const chunk = Math.min(count, Math.max(8, Math.floor(CHUNK_VALUES / items.rows)))
      const losses = workspace.matrix('losses', 1, count)
      const weights = workspace.matrix('weights', 1, count)
      weights.values.fill(1 / count)
      const dHidden = workspace.matrix('dHidden', count, hidden.columns)
      engine.trusted.softmaxCrossEntropy({
        hidden,
        items,
        targets: workspace.indices('targets', targets.items),
        weights,
        scratch: workspace.matrix('logits', chunk, items.rows),
        losses,
        dHidden,
        dItems,
      })
      back(dHidden)
      return mean(losses.values)
    },
  }
}
