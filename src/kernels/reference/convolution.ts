// The causal dilated convolution over time. Tap j of step t looks (taps−1−j)·dilation steps back.

import type { KernelTheme } from './views.ts'

export const convolution: KernelTheme<'convolutionForward' | 'convolutionBackward'> = ({
  f32,
  matrix,
}) => ({
  convolutionForward(
    steps,
    batch,
    taps,
    dilation,
    inWidth,
    outWidth,
    xAddress,
    weightsAddress,
    biasAddress,
    outAddress,
  ) {
    const x = matrix(xAddress, steps * batch, inWidth)
    const weights = matrix(weightsAddress, taps * outWidth, inWidth)
    const bias = f32(biasAddress, outWidth)
    const out = matrix(outAddress, steps * batch, outWidth)
    for (let t = 0; t < steps; t++) {
      for (let b = 0; b < batch; b++) {
        for (let o = 0; o < outWidth; o++) {
          let sum = bias[o]!
          for (let j = 0; j < taps; j++) {
            const seen = t - (taps - 1 - j) * dilation
            if (seen < 0) continue
            for (let i = 0; i < inWidth; i++) {
              sum += weights.get(j * outWidth + o, i) * x.get(seen * batch + b, i)
            }
          }
          out.set(t * batch + b, o, sum)
        }
      }
    }
  },

  convolutionBackward(
    steps,
    batch,
    taps,
    dilation,
    inWidth,
    outWidth,
    xAddress,
    weightsAddress,
    dOutAddress,
    dXAddress,
    dWeightsAddress,
    dBiasAddress,
  ) {
    const x = matrix(xAddress, steps * batch, inWidth)
    const weights = matrix(weightsAddress, taps * outWidth, inWidth)
    const dOut = matrix(dOutAddress, steps * batch, outWidth)
    const dX = matrix(dXAddress, steps * batch, inWidth)
    const dWeights = matrix(dWeightsAddress, taps * outWidth, inWidth)
    const dBias = f32(dBiasAddress, outWidth)

    // Step t was seen by step t + (taps−1−j)·dilation through tap j.
    for (let t = 0; t < steps; t++) {
      for (let b = 0; b < batch; b++) {
        for (let i = 0; i < inWidth; i++) {
          let sum = 0
          for (let j = 0; j < taps; j++) {
            const seer = t + (taps - 1 - j) * dilation
            if (seer >= steps) continue
            for (let o = 0; o < outWidth; o++) {
              sum += weights.get(j * outWidth + o, i) * dOut.get(seer * batch + b, o)
            }
          }
          dX.add(t * batch + b, i, sum)
        }
      }
    }

    for (let j = 0; j < taps; j++) {
      const lag = (taps - 1 - j) * dilation
      for (let o = 0; o < outWidth; o++) {
        for (let i = 0; i < inWidth; i++) {
          let sum = 0
          for (let t = lag; t < steps; t++) {
            for (let b = 0; b < batch; b++) {
              sum += dOut.get(t * batch + b, o) * x.get((t - lag) * batch + b, i)
            }
          }
          dWeights.add(j * outWidth + o, i, sum)
        }
      }
    }

    for (let o = 0; o < outWidth; o++) {
      let sum = dBias[o]!
      for (let row = 0; row < steps * batch; row++) sum += dOut.get(row, o)
      dBias[o] = sum
    }
  },
})
