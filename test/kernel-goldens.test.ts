// Runs the golden suite for every engine.

import { describeGoldens } from './kernel-goldens.ts'
import { createReferenceEngine } from './kernel-workspace.ts'

describeGoldens('reference', () => Promise.resolve(createReferenceEngine()))
