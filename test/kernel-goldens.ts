// Compares small models composed of kernels with PyTorch's float64 numbers. Every engine runs this suite.

import { describe, expect, it } from 'vitest'
import { checkAttention } from './kernel-goldens/attention.ts'
import { checkBprMax } from './kernel-goldens/bpr-max.ts'
import { checkRewardRegression, checkTiedSoftmax } from './kernel-goldens/gru.ts'
import { checkAdagrad, checkAdam } from './kernel-goldens/optimizers.ts'
import { checkSequentialSlate, checkTopSlate } from './kernel-goldens/slate.ts'
import { createWorkspace } from './kernel-workspace.ts'
import type { RawEngine, Workspace } from './kernel-workspace.ts'

const cases: Readonly<Record<string, (w: Workspace) => void>> = {
  'a reset-after GRU under a tied softmax, with every gradient': checkTiedSoftmax,
  'a reset-before GRU under a reward regression, with every gradient': checkRewardRegression,
  'causal attention of one head, with every gradient': (w) => checkAttention(w, 1),
  'causal attention of two heads, with every gradient': (w) => checkAttention(w, 2),
  'BPR-max, with its gradient': checkBprMax,
  'three steps of Adam': checkAdam,
  'three steps of Adagrad': checkAdagrad,
  'a slate by score': checkTopSlate,
  'a sequential slate': checkSequentialSlate,
}

/** `make` creates a new engine for each case. */
export function describeGoldens(name: string, make: () => Promise<RawEngine>): void {
  describe(`the ${name} kernels agree with PyTorch on`, () => {
    it.each(Object.entries(cases))('%s', async (_, check) => {
      expect.hasAssertions()
      check(createWorkspace(await make()))
    })
  })
}
