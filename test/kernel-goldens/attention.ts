// A residual block of causal self-attention: y = x + attention(layerNorm(x)·Wᵀ + b)·Oᵀ + o.

import { expectClose } from '../kernel-workspace.ts'
import type { Workspace } from '../kernel-workspace.ts'
import { goldens, timeMajor } from './goldens.ts'

export function checkAttention(w: Workspace, heads: 1 | 2): void {
  const { kernels } = w
  const golden = goldens[`causal_attention_${heads}_heads`]
  const { params, grads } = golden
  const [batch, steps, width] = params.x.shape as [number, number, number]
  const rows = steps * batch
  const sizes = [steps, batch, heads, width]
  const room = (): number => w.output(rows * width)
  const zeros = (): number => w.zeros(rows * width)

  const x = w.floats(timeMajor(params.x))
  const gain = w.floats(params.ln_weight.data)
  const projection = w.floats(params.in_proj_weight.data)
  const outWeights = w.floats(params.out_weight.data)
  const [normalized, attended, y] = [room(), room(), zeros()]
  const statistics = w.output(rows * 2)
  const qkv = w.output(rows * 3 * width)
  const weights = w.output(batch * heads * steps * steps)
  kernels.layerNormForward(
    rows,
    width,
    1e-5,
    x,
    gain,
    w.floats(params.ln_bias.data),
    normalized,
    statistics,
  )
  kernels.multiply(0, 1, 0, rows, 3 * width, width, normalized, projection, qkv)
  kernels.addRow(rows, 3 * width, w.floats(params.in_proj_bias.data), qkv)
  kernels.attentionForward(...sizes, qkv, weights, attended)
  kernels.addScaled(rows, width, 1, x, y)
  kernels.multiply(0, 1, 1, rows, width, width, attended, outWeights, y)
  kernels.addRow(rows, width, w.floats(params.out_bias.data), y)
  expectClose(w.read(y, rows * width), timeMajor(golden.output))

  const dY = w.floats(timeMajor(golden.cotangent))
  const [dAttended, dNormalized, dX] = [room(), room(), zeros()]
  const dQkv = w.output(rows * 3 * width)
  const dOutWeights = w.zeros(width * width)
  const dProjection = w.zeros(3 * width * width)
  const [dOutBias, dGain, dBias] = [w.zeros(width), w.zeros(width), w.zeros(width)]
  const dProjectionBias = w.zeros(3 * width)
  kernels.sumRows(rows, width, dY, dOutBias)
  kernels.multiply(1, 0, 1, width, width, rows, dY, attended, dOutWeights)
  kernels.multiply(0, 0, 0, rows, width, width, dY, outWeights, dAttended)
  kernels.attentionBackward(...sizes, qkv, weights, dAttended, dQkv)
  kernels.sumRows(rows, 3 * width, dQkv, dProjectionBias)
  kernels.multiply(1, 0, 1, 3 * width, width, rows, dQkv, normalized, dProjection)
  kernels.multiply(0, 0, 0, rows, width, 3 * width, dQkv, projection, dNormalized)
  kernels.addScaled(rows, width, 1, dY, dX)
  kernels.layerNormBackward(rows, width, x, gain, statistics, dNormalized, dX, dGain, dBias)
  expectClose(w.read(dX, rows * width), timeMajor(grads.x))
  expectClose(w.read(dProjection, 3 * width * width), grads.in_proj_weight.data)
  expectClose(w.read(dProjectionBias, 3 * width), grads.in_proj_bias.data)
  expectClose(w.read(dOutWeights, width * width), grads.out_weight.data)
  expectClose(w.read(dOutBias, width), grads.out_bias.data)
  expectClose(w.read(dGain, width), grads.ln_weight.data)
  expectClose(w.read(dBias, width), grads.ln_bias.data)
}
