// A residual block of two causal dilated convolutions: y = relu(x + relu(conv₂(relu(conv₁(x))))).

import { expectClose } from '../kernel-workspace.ts'
import type { Workspace } from '../kernel-workspace.ts'
import { goldens, tapMajor, timeMajorOfChannels } from './goldens.ts'

export function checkResidualBlock(w: Workspace): void {
  const { kernels } = w
  const { kernel: taps, dilation, ...golden } = goldens.tcn_residual_block
  const [batch, width, steps] = golden.params.x.shape as [number, number, number]
  const rows = steps * batch
  const sizes = [steps, batch, taps, dilation, width, width]
  const room = (): number => w.room(rows * width)
  const zeros = (): number => w.zeros(rows * width)

  const x = w.floats(timeMajorOfChannels(golden.params.x))
  const weights1 = w.floats(tapMajor(golden.params.w1))
  const weights2 = w.floats(tapMajor(golden.params.w2))
  const [convolved1, inner, convolved2, outer] = [room(), room(), room(), room()]
  const [sum, y] = [zeros(), room()]
  kernels.convolutionForward(...sizes, x, weights1, w.floats(golden.params.b1.data), convolved1)
  kernels.relu(rows, width, convolved1, inner)
  kernels.convolutionForward(...sizes, inner, weights2, w.floats(golden.params.b2.data), convolved2)
  kernels.relu(rows, width, convolved2, outer)
  kernels.addScaled(rows, width, 1, x, sum)
  kernels.addScaled(rows, width, 1, outer, sum)
  kernels.relu(rows, width, sum, y)
  expectClose(w.read(y, rows * width), timeMajorOfChannels(golden.output))

  const dY = w.floats(timeMajorOfChannels(golden.cotangent))
  const [dSum, dConvolved2, dInner, dConvolved1, dX] = [room(), room(), zeros(), room(), zeros()]
  const [dWeights1, dWeights2] = [w.zeros(taps * width ** 2), w.zeros(taps * width ** 2)]
  const [dBias1, dBias2] = [w.zeros(width), w.zeros(width)]
  kernels.reluBackward(rows, width, y, dY, dSum)
  kernels.reluBackward(rows, width, outer, dSum, dConvolved2)
  kernels.convolutionBackward(...sizes, inner, weights2, dConvolved2, dInner, dWeights2, dBias2)
  kernels.reluBackward(rows, width, inner, dInner, dConvolved1)
  kernels.addScaled(rows, width, 1, dSum, dX)
  kernels.convolutionBackward(...sizes, x, weights1, dConvolved1, dX, dWeights1, dBias1)
  expectClose(w.read(dX, rows * width), timeMajorOfChannels(golden.grads.x))
  expectClose(w.read(dWeights1, taps * width ** 2), tapMajor(golden.grads.w1))
  expectClose(w.read(dWeights2, taps * width ** 2), tapMajor(golden.grads.w2))
  expectClose(w.read(dBias1, width), golden.grads.b1.data)
  expectClose(w.read(dBias2, width), golden.grads.b2.data)
}
