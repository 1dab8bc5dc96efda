// Compares layers with PyTorch in float64: outputs, and gradients of inputs and parameters.

import { describe, it } from 'vitest'
import {
  goldens,
  tapMajor,
  timeMajor,
  timeMajorOfChannels,
} from '../../../test/kernel-goldens/goldens.ts'
import { expectClose } from '../../../test/kernel-workspace.ts'
import { createRandom } from '../../core/random.ts'
import { createEngine } from '../../kernels/index.ts'
import { createWorkspace } from '../../kernels/index.ts'
import { attentionPart } from './attention.ts'
import { convolutionBlock } from '../tcn.ts'
import type { Layer, LayerContext } from './layer.ts'

/** A forward and backward pass, with all numbers in the layout of the layer. */
interface GoldenPass {
  readonly build: (context: LayerContext) => Layer
  readonly steps: number
  readonly sequences: number
  readonly x: readonly number[]
  readonly out: readonly number[]
  readonly dOut: readonly number[]
  readonly dX: readonly number[]
  /** Value and gradient by the name of the parameter. */
  readonly parameters: Readonly<Record<string, readonly [readonly number[], readonly number[]]>>
}

describe.each(['reference', 'simd128', 'relaxed-simd'] as const)('on the %s kernels', (kernel) => {
  it('a block of causal convolutions equals PyTorch', () => checkGolden(kernel, residualBlock()))

  it.each([1, 2] as const)('attention of %i head(s) equals PyTorch', (heads) =>
    checkGolden(kernel, attention(heads)),
  )
})

function residualBlock(): GoldenPass {
  const { kernel: taps, dilation, params, grads, ...golden } = goldens.tcn_residual_block
  const [sequences, width, steps] = params.x.shape as [number, number, number]
  return {
    build: (context) => convolutionBlock(context, { width, taps, dilation, dropout: 0 }),
    steps,
    sequences,
    x: timeMajorOfChannels(params.x),
    out: timeMajorOfChannels(golden.output),
    dOut: timeMajorOfChannels(golden.cotangent),
    dX: timeMajorOfChannels(grads.x),
    parameters: {
      'layer.first.weights': [tapMajor(params.w1), tapMajor(grads.w1)],
      'layer.first.bias': [params.b1.data, grads.b1.data],
      'layer.second.weights': [tapMajor(params.w2), tapMajor(grads.w2)],
      'layer.second.bias': [params.b2.data, grads.b2.data],
    },
  }
}

function attention(heads: 1 | 2): GoldenPass {
  const { params, grads, ...golden } = goldens[`causal_attention_${heads}_heads`]
  const [sequences, steps, width] = params.x.shape as [number, number, number]
  return {
    build: (context) => attentionPart(context, { width, heads, dropout: 0 }),
    steps,
    sequences,
    x: timeMajor(params.x),
    out: timeMajor(golden.output),
    dOut: timeMajor(golden.cotangent),
    dX: timeMajor(grads.x),
    parameters: {
      'layer.norm.gain': [params.ln_weight.data, grads.ln_weight.data],
      'layer.norm.bias': [params.ln_bias.data, grads.ln_bias.data],
      'layer.projection.weights': [params.in_proj_weight.data, grads.in_proj_weight.data],
      'layer.projection.bias': [params.in_proj_bias.data, grads.in_proj_bias.data],
      'layer.output.weights': [params.out_weight.data, grads.out_weight.data],
      'layer.output.bias': [params.out_bias.data, grads.out_bias.data],
    },
  }
}

async function checkGolden(
  kernel: 'reference' | 'simd128' | 'relaxed-simd',
  { build, steps, sequences, parameters, ...golden }: GoldenPass,
): Promise<void> {
  const engine = await createEngine({ kernel })
  const workspace = createWorkspace(engine)
  const layer = build({ engine, name: 'layer', random: createRandom(1), workspace })
  expectClose([layer.parameters.length], [Object.keys(parameters).length])
  for (const { name, value } of layer.parameters) value.values.set(parameters[name]![0])

  const positions = steps * sequences
  const place = (name: string, numbers: readonly number[]) => {
    const tensor = engine.matrix(name, positions, numbers.length / positions)
    tensor.values.set(numbers)
    return tensor
  }
  const batch = {
    steps,
    sequences,
    rows: new Int32Array(positions),
    rewards: new Float32Array(positions),
    times: new Float64Array(positions),
  }
  const out = layer.forward(place('x', golden.x), { batch, random: createRandom(2) })
  expectClose([...out.values], golden.out)
  const dX = layer.backward(place('dOut', golden.dOut))
  expectClose([...dX.values], golden.dX)
  for (const { name, gradient } of layer.parameters) {
    expectClose([...gradient.values], parameters[name]![1])
  }
}
