// Runs the contract of exploration policies on every policy and all kernels.

import { describe, expect, it } from 'vitest'
import { createRandom } from '../../src/core/random.ts'
import { policies, policyNames } from '../../src/exploration/index.ts'
import { createEngine } from '../../src/kernels/index.ts'
import { kernels } from '../check-causality.ts'
import { describePolicy } from './policy.ts'

describe.each(policyNames)('%s', (name) => {
  it('is registered under its own name', async () => {
    expect(policies[name](await createEngine()).name).toBe(name)
  })

  describe.each(kernels)('on the %s kernels', (kernel) => {
    describePolicy((engine) => policies[name](engine), kernel)
  })

  describe('with offsets', () => {
    describePolicy((engine) => policies[name](engine), 'relaxed-simd', { offsetsOf })
  })

  describe('with reported items besides the visits', () => {
    describePolicy((engine) => policies[name](engine), 'relaxed-simd', { reported })
  })
})

const reported = () => ({
  items: Int32Array.of(1, 2, 0, 3, 2),
  rewards: Float32Array.of(-1, 1, 0.5, 0, 0),
})

function offsetsOf(itemCount: number): Float32Array {
  const random = createRandom('offsets')
  return Float32Array.from({ length: itemCount }, () => random.normal())
}
