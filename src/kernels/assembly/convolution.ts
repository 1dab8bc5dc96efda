// Causal dilated convolution as one matrix product a tap: in time-major order a shift by s steps
// is a shift by s·batch rows.

import { addRow, sumRows } from './elementwise'
import { product } from './matrix-product'

/** Whether a tap looks back beyond every step; in 64 bits, for the product may not fit 32. */
function isBeforeStart(lag: usize, dilation: usize, steps: usize): bool {
  return <u64>lag * <u64>dilation >= <u64>steps
}

export function convolutionForward(
  steps: usize,
  batch: usize,
  taps: usize,
  dilation: usize,
  inWidth: usize,
  outWidth: usize,
  x: usize,
  weights: usize,
  bias: usize,
  out: usize,
): void {
  memory.fill(out, 0, steps * batch * outWidth * 4)
  addRow(steps * batch, outWidth, bias, out)
  for (let j: usize = 0; j < taps; j++) {
    if (isBeforeStart(taps - 1 - j, dilation, steps)) continue
    const shift = (taps - 1 - j) * dilation
    const w = weights + j * outWidth * inWidth * 4
    const target = out + shift * batch * outWidth * 4
    product(
      (steps - shift) * batch,
      outWidth,
      inWidth,
      x,
      inWidth * 4,
      4,
      w,
      4,
      inWidth * 4,
      target,
      outWidth * 4,
      true,
    )
  }
}

export function convolutionBackward(
  steps: usize,
  batch: usize,
  taps: usize,
  dilation: usize,
  inWidth: usize,
  outWidth: usize,
  x: usize,
  weights: usize,
  dOut: usize,
  dX: usize,
  dWeights: usize,
  dBias: usize,
): void {
  sumRows(steps * batch, outWidth, dOut, dBias)
  for (let j: usize = 0; j < taps; j++) {
    if (isBeforeStart(taps - 1 - j, dilation, steps)) continue
    const shift = (taps - 1 - j) * dilation
    const rows = (steps - shift) * batch
    const at = j * outWidth * inWidth * 4
    const d = dOut + shift * batch * outWidth * 4
    product(
      rows,
      inWidth,
      outWidth,
      d,
      outWidth * 4,
      4,
      weights + at,
      inWidth * 4,
      4,
      dX,
      inWidth * 4,
      true,
    )
    product(
      outWidth,
      inWidth,
      rows,
      d,
      4,
      outWidth * 4,
      x,
      inWidth * 4,
      4,
      dWeights + at,
      inWidth * 4,
      true,
    )
  }
}
