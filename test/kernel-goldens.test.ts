// Runs the golden suite on every engine.

import { describeGoldens } from './kernel-goldens.ts'
import { createReferenceEngine, createSimdEngine } from './kernel-workspace.ts'

describeGoldens('reference', () => Promise.resolve(createReferenceEngine()))
describeGoldens('relaxed-simd', () => createSimdEngine('relaxed-simd'))
describeGoldens('simd128', () => createSimdEngine('simd128'))
