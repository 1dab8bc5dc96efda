// The reference engine: every kernel of the contract in its simplest form. It is the executable
// specification for tests of the fast engines, and it runs on any platform.

import { kernelNames } from '../contract.ts'
import type { RawKernels } from '../contract.ts'
import { algebra } from './algebra.ts'
import { layers } from './layers.ts'
import { recurrent } from './recurrent.ts'
import { scoring } from './scoring.ts'
import { slate } from './slate.ts'
import { training } from './training.ts'
import { createViewer } from './views.ts'
import type { ReferenceKernels } from './views.ts'

const kernels: ReferenceKernels = {
  ...algebra,
  ...layers,
  ...recurrent,
  ...training,
  ...scoring,
  ...slate,
}

/**
 * Creates kernels over `memory`. They compute in float64 and round to float32 only when they store.
 */
export function createReferenceKernels(memory: WebAssembly.Memory): RawKernels {
  const named = kernels as Record<string, (args: object) => number | void>
  const raw = kernelNames.map((kernel) => {
    const view = createViewer(memory, kernel)
    return [kernel, (...args: number[]) => named[kernel]!(view(args))]
  })
  return Object.fromEntries(raw) as RawKernels
}
