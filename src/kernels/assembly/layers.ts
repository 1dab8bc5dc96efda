// Layer normalization and causal self-attention.

import { product } from './matrix-product'
import { loadUpTo, multiplyAdd, storeUpTo, sumLanes, zeroOrNaN, dot } from './vector'
import { softmaxInPlace } from './loss'

export function layerNormForward(
  rows: usize,
  columns: usize,
  epsilon: f32,
  x: usize,
  gain: usize,
  bias: usize,
  out: usize,
  statistics: usize,
): void {
  if (columns == 0) return // an empty row has no mean
  for (let i: usize = 0; i < rows; i++) {
    const row = x + i * columns * 4
    const target = out + i * columns * 4
    const mean: f32 = sum(row, columns) / <f32>columns
    const variance: f32 = squares(row, columns, mean) / <f32>columns
    const scale: f32 = 1 / sqrt<f32>(variance + epsilon) + zeroOrNaN(variance)
    store<f32>(statistics + i * 8, mean)
    store<f32>(statistics + i * 8, scale, 4)
    for (let j: usize = 0; j < columns; j += 4) {
      const left = columns - j
      const centerd = f32x4.sub(loadUpTo(row + j * 4, left), f32x4.splat(mean))
      const normal = f32x4.mul(centerd, f32x4.splat(scale))
      const y = multiplyAdd(normal, loadUpTo(gain + j * 4, left), loadUpTo(bias + j * 4, left))
      storeUpTo(target + j * 4, left, y)
    }
  }
}

function sum(row: usize, columns: usize): f32 {
  let total = f32x4.splat(0)
  for (let j: usize = 0; j < columns; j += 4)
    total = f32x4.add(total, loadUpTo(row + j * 4, columns - j))
  return sumLanes(total)
}

/** Σ(x − mean)². */
function squares(row: usize, columns: usize, mean: f32): f32 {
  let total = f32x4.splat(0)
  let j: usize = 0
  for (; j + 4 <= columns; j += 4) {
    const centerd = f32x4.sub(v128.load(row + j * 4), f32x4.splat(mean))
    total = multiplyAdd(centerd, centerd, total)
  }
  let result = sumLanes(total)
  for (; j < columns; j++) {
    const centerd = load<f32>(row + j * 4) - mean
    result += centerd * centerd
  }
  return result
}

/** With x̂ the normalized row and g = gain∘dOut: dX += scale·(g − mean(g) − x̂·mean(g∘x̂)). */
export function layerNormBackward(
  rows: usize,
  columns: usize,
  x: usize,
  gain: usize,
  statistics: usize,
  dOut: usize,
  dX: usize,
  dGain: usize,
  dBias: usize,
): void {
  for (let i: usize = 0; i < rows; i++) {
    const at = i * columns * 4
    const mean = f32x4.splat(load<f32>(statistics + i * 8))
    const scale = f32x4.splat(load<f32>(statistics + i * 8, 4))
    let sumG = f32x4.splat(0)
    let sumGx = f32x4.splat(0)
    for (let j: usize = 0; j < columns; j += 4) {
      const left = columns - j
      const d = loadUpTo(dOut + at + j * 4, left)
      const normal = f32x4.mul(f32x4.sub(loadUpTo(x + at + j * 4, left), mean), scale)
      const g = f32x4.mul(d, loadUpTo(gain + j * 4, left))
      sumG = f32x4.add(sumG, g)
      sumGx = multiplyAdd(g, normal, sumGx)
      storeUpTo(dGain + j * 4, left, multiplyAdd(d, normal, loadUpTo(dGain + j * 4, left)))
      storeUpTo(dBias + j * 4, left, f32x4.add(d, loadUpTo(dBias + j * 4, left)))
    }
    const meanG = f32x4.splat(sumLanes(sumG) / <f32>columns)
    const meanGx = f32x4.splat(sumLanes(sumGx) / <f32>columns)
    for (let j: usize = 0; j < columns; j += 4) {
      const left = columns - j
      const normal = f32x4.mul(f32x4.sub(loadUpTo(x + at + j * 4, left), mean), scale)
      const g = f32x4.mul(loadUpTo(dOut + at + j * 4, left), loadUpTo(gain + j * 4, left))
      const d = f32x4.sub(f32x4.sub(g, meanG), f32x4.mul(normal, meanGx))
      storeUpTo(dX + at + j * 4, left, multiplyAdd(d, scale, loadUpTo(dX + at + j * 4, left)))
    }
  }
}

export function attentionForward(
  steps: usize,
  batch: usize,
  heads: usize,
  width: usize,
  qkv: usize,
  weights: usize,
  out: usize,
): void {
  if (width == 0) return // there is nothing to attend to
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
  if (width == 0) return // there is nothing to attend to
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
      const row = steps * 4
      product(steps, head, steps, scratch, row, 4, qkv + k, stride, 4, dQkv + at, stride, false)
      product(steps, head, steps, scratch, 4, row, qkv + at, stride, 4, dQkv + k, stride, false)
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
