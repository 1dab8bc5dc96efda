// Compares the backward pass of every layer with finite differences of its forward pass.

import { describe, it } from 'vitest'
import { checkLayer, upTo } from '../../../test/check-gradients.ts'
import { attentionBlock, attentionPart, feedForwardPart, positions } from './attention.ts'
import { causalConvolution, convolutionBlock } from '../tcn.ts'
import { dense, dropout, layerNorm, relu, residual } from './feed-forward.ts'
import { gru } from './gru.ts'
import { inner } from './layer.ts'

describe('the backward pass is the gradient of', () => {
  it('a dense layer', () =>
    checkLayer((context, draw) => {
      const inputs = draw(upTo, 4)
      return { inputs, layer: dense(context, { inputs, outputs: draw(upTo, 4) }) }
    }))

  it.each(['reset-after', 'reset-before'] as const)('a GRU of the cell %s', (cell) =>
    checkLayer((context, draw) => {
      const inputs = draw(upTo, 3)
      return { inputs, layer: gru(context, { inputs, hidden: draw(upTo, 3), cell }) }
    }),
  )

  it('dropout under the mask it drew', () =>
    checkLayer((context, draw) => ({ inputs: draw(upTo, 4), layer: dropout(context, 0.4) })))

  it('relu', () => checkLayer((context, draw) => ({ inputs: draw(upTo, 4), layer: relu(context) })))

  it('a residual sum', () =>
    checkLayer((context, draw) => {
      const inputs = draw(upTo, 4)
      const body = dense(inner(context, 'body'), { inputs, outputs: inputs })
      return { inputs, layer: residual(context, body) }
    }))

  it('a layer norm', () =>
    checkLayer((context, draw) => {
      const inputs = draw(upTo, 6)
      return { inputs, layer: layerNorm(context, inputs) }
    }))

  it('learned positions added to a scaled input', () =>
    checkLayer((context, draw) => {
      const [inputs, steps] = [draw(upTo, 4), 5 + draw(upTo, 2)]
      return { inputs, layer: positions(context, { width: inputs, steps, scale: 1.5 }) }
    }))

  it('a causal convolution', () =>
    checkLayer((context, draw) => {
      const [inputs, taps, dilation] = [draw(upTo, 3), draw(upTo, 3), draw(upTo, 2)]
      return { inputs, layer: causalConvolution(context, { width: inputs, taps, dilation }) }
    }))

  it('a block of causal convolutions, dropout included', () =>
    checkLayer((context, draw) => {
      const [inputs, taps, dilation] = [draw(upTo, 3), draw(upTo, 3), draw(upTo, 2)]
      const options = { width: inputs, taps, dilation, dropout: 0.2 }
      return { inputs, layer: convolutionBlock(context, options) }
    }))

  it.each([
    ['the attention part of a block', attentionPart],
    ['the feed-forward part of a block', feedForwardPart],
    ['a block of attention', attentionBlock],
  ])('%s, dropout included', (_, build) =>
    checkLayer((context, draw) => {
      const heads = draw(upTo, 2)
      // Norms of one or two numbers are too steep for differences where the numbers are equal.
      const width = heads * (2 + draw(upTo, 2))
      return { inputs: width, layer: build(context, { width, heads, dropout: 0.2 }) }
    }),
  )
})
