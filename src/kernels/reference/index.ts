// The reference engine: every kernel of the contract in its slowest and most obvious form. It is
// the executable specification that the fast engines are held to, and runs anywhere.

import type { RawKernels } from '../contract.ts'
import { attention } from './attention.ts'
import { bprMax } from './bpr-max.ts'
import { convolution } from './convolution.ts'
import { dropout } from './dropout.ts'
import { elementwise } from './elementwise.ts'
import { embeddingRows } from './embedding-rows.ts'
import { layerNorm } from './layer-norm.ts'
import { loss } from './loss.ts'
import { matrixProduct } from './matrix-product.ts'
import { optimizer } from './optimizer.ts'
import { pairScores } from './pair-scores.ts'
import { recurrent } from './recurrent.ts'
import { scoring } from './scoring.ts'
import { slate } from './slate.ts'
import { viewsOf } from './views.ts'

/** Kernels over `memory`: they compute in float64 and round to float32 only when they store. */
export function createReferenceKernels(memory: WebAssembly.Memory): RawKernels {
  const views = viewsOf(memory)
  return {
    ...matrixProduct(views),
    ...elementwise(views),
    ...embeddingRows(views),
    ...recurrent(views),
    ...convolution(views),
    ...layerNorm(views),
    ...attention(views),
    ...dropout(views),
    ...pairScores(views),
    ...loss(views),
    ...bprMax(views),
    ...optimizer(views),
    ...scoring(views),
    ...slate(views),
  }
}
