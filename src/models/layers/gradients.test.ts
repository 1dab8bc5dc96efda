// Every layer's way back against finite differences of its forward pass.

import { describe, it } from 'vitest'
import { checkLayer, upTo } from '../../../test/check-gradients.ts'
import { dense } from './dense.ts'
import { dropout } from './dropout.ts'
import { gru } from './gru.ts'

describe('the way back is the gradient of', () => {
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
})
