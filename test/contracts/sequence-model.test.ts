// Runs the contract of sequence models on every architecture and all kernels.

import { describe } from 'vitest'
import { architectures, modelNames } from '../../src/models/architectures.ts'
import { kernels } from '../check-causality.ts'
import { describeSequenceModel } from './sequence-model.ts'

describe.each(modelNames)('%s', (name) => {
  describe.each(kernels)('on the %s kernels', (kernel) => {
    describeSequenceModel(architectures[name], kernel)
  })
})
