// The contract of sequence models over every architecture there is, on every kind of kernels.

import { describe } from 'vitest'
import { architectures, modelNames } from '../../src/models/architectures.ts'
import { kernels } from '../check-causality.ts'
import { describeSequenceModel } from './sequence-model.ts'

describe.each(modelNames)('%s', (name) => {
  describe.each(kernels)('on the %s kernels', (kernel) => {
    describeSequenceModel(architectures[name], kernel)
  })
})
