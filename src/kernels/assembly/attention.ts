// Causal self-attention: per sequence and head a few strided matrix products.

import { product } from './matrix-product'
import { softmaxInPlace } from './softmax'
import { dot } from './vector'

export function attentionForward(
  steps: usize,
  batch: usize,
  heads: usize,
  width: usize,
  qkv: usize,
  weights: usize,
  out: usize,
): void {
  if (width == 0) return // Without columns there is nothing to attend by.
  const head = width / heads
  const stride = batch * 3 * width * 4
  const scale: f32 = 1 / sqrt<f32>(<f32>head)
  for (let b: usize = 0; b < batch; b++) {
    for (let h: usize = 0; h < heads; h++) {
      const q = qkv + (b * 3 * width + h * head) * 4
      const k = q + width * 4
      const v = k + width * 4
      const p = weights + (b * heads + h) * steps * steps * 4
      product(steps, steps, head, q, stride, 4, k, 4, stride, p, steps * 4, false)
      for (let i: usize = 0; i < steps; i++) {
        const row = p + i * steps * 4
        softmaxInPlace(row, i + 1, scale)
        memory.fill(row + (i + 1) * 4, 0, (steps - i - 1) * 4)
      }
      const target = out + (b * width + h * head) * 4
      product(steps, head, steps, p, steps * 4, 4, v, stride, 4, target, batch * width * 4, false)
    }
  }
}

export function attentionBackward(
  steps: usize,
  batch: usize,
  heads: usize,
  width: usize,
  qkv: usize,
  weights: usize,
  dOut: usize,
  scratch: usize,
  dQkv: usize,
): void {
  if (width == 0) return // Without columns there is nothing to attend by.
  const head = width / heads
  const stride = batch * 3 * width * 4
  const outStride = batch * width * 4
  const scale: f32 = 1 / sqrt<f32>(<f32>head)
  for (let b: usize = 0; b < batch; b++) {
    for (let h: usize = 0; h < heads; h++) {
      const at = (b * 3 * width + h * head) * 4
      const k = at + width * 4
      const v = k + width * 4
      const p = weights + (b * heads + h) * steps * steps * 4
      const d = dOut + (b * width + h * head) * 4
      product(steps, steps, head, d, outStride, 4, qkv + v, 4, stride, scratch, steps * 4, false)
      for (let i: usize = 0; i < steps; i++)
        backSoftmax(i + 1, steps, p + i * steps * 4, scratch + i * steps * 4, scale)
      product(
        steps,
        head,
        steps,
        scratch,
        steps * 4,
        4,
        qkv + k,
        stride,
        4,
        dQkv + at,
        stride,
        false,
      )
      product(
        steps,
        head,
        steps,
        scratch,
        4,
        steps * 4,
        qkv + at,
        stride,
        4,
        dQkv + k,
        stride,
        false,
      )
      product(steps, head, steps, p, 4, steps * 4, d, outStride, 4, dQkv + v, stride, false)
    }
  }
}

/** dLogits = scale·p∘(dP − p·dP), zero for the future. */
function backSoftmax(past: usize, steps: usize, p: usize, dP: usize, scale: f32): void {
  const inner = dot(p, dP, past)
  for (let j: usize = 0; j < past; j++) {
    store<f32>(dP + j * 4, scale * load<f32>(p + j * 4) * (load<f32>(dP + j * 4) - inner))
  }
  memory.fill(dP + past * 4, 0, (steps - past) * 4)
}
