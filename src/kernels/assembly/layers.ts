// Layer normalization and causal self-attention.

import { product } from './matrix-product'
import { endOf } from './range'
import { workspace, WORKSPACE_BYTES } from './scratch'
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
  begin: usize,
  end: usize,
): void {
  if (columns == 0) return // an empty row has no mean
  end = endOf(end, rows)
  for (let i = begin; i < end; i++) {
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
  begin: usize,
  end: usize,
): void {
  end = endOf(end, rows)
  for (let i = begin; i < end; i++) {
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

/** The second pass of `layerNormBackward`: dGain and dBias. The range is one of columns. */
export function layerNormSums(
  rows: usize,
  columns: usize,
  x: usize,
  gain: usize,
  statistics: usize,
  dOut: usize,
  dX: usize,
  dGain: usize,
  dBias: usize,
  begin: usize,
  end: usize,
): void {
  end = endOf(end, columns)
  for (let i: usize = 0; i < rows; i++) {
    const at = i * columns * 4
    const mean = f32x4.splat(load<f32>(statistics + i * 8))
    const scale = f32x4.splat(load<f32>(statistics + i * 8, 4))
    for (let j = begin; j < end; j += 4) {
      const left = end - j
      const d = loadUpTo(dOut + at + j * 4, left)
      const normal = f32x4.mul(f32x4.sub(loadUpTo(x + at + j * 4, left), mean), scale)
      storeUpTo(dGain + j * 4, left, multiplyAdd(d, normal, loadUpTo(dGain + j * 4, left)))
      storeUpTo(dBias + j * 4, left, f32x4.add(d, loadUpTo(dBias + j * 4, left)))
    }
  }
}

// Attention computes one block of steps at a time and skips what is later than the block: products with
// the future would be half of the work. A range is one of heads, in the order of the rows of `weights`.

const BLOCK: usize = 48

export function attentionForward(
  steps: usize,
  batch: usize,
  heads: usize,
  width: usize,
  qkv: usize,
  weights: usize,
  out: usize,
  begin: usize,
  end: usize,
): void {
  if (width == 0) return // there is nothing to attend to
  const head = width / heads
  const stride = batch * 3 * width * 4
  const outStride = batch * width * 4
  const row = steps * 4
  const scale: f32 = 1 / sqrt<f32>(<f32>head)
  end = endOf(end, batch * heads)
  for (let at = begin; at < end; at++) {
    const q = qkv + ((at / heads) * 3 * width + (at % heads) * head) * 4
    const k = q + width * 4
    const v = k + width * 4
    const target = out + ((at / heads) * width + (at % heads) * head) * 4
    for (let i: usize = 0; i < steps; i += BLOCK) {
      const past = min(i + BLOCK, steps) // what the steps of the block attend to, at most
      const count = past - i
      const p = weights + (at * steps + i) * row
      product(count, past, head, q + i * stride, stride, 4, k, 4, stride, p, row, false)
      for (let r: usize = 0; r < count; r++) {
        const shares = p + r * row
        softmaxInPlace(shares, i + r + 1, scale)
        memory.fill(shares + (i + r + 1) * 4, 0, (steps - i - r - 1) * 4)
      }
      const to = target + i * outStride
      product(count, head, past, p, row, 4, v, stride, 4, to, outStride, false)
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
  dQkv: usize,
  begin: usize,
  end: usize,
): void {
  if (steps * width == 0) return // there is nothing to attend to
  const head = width / heads
  const stride = batch * 3 * width * 4
  const outStride = batch * width * 4
  end = endOf(end, batch * heads)
  for (let at = begin; at < end; at++) {
    const q = ((at / heads) * 3 * width + (at % heads) * head) * 4
    const p = weights + at * steps * steps * 4
    const d = dOut + ((at / heads) * width + (at % heads) * head) * 4
    headBackward(steps, head, width * 4, qkv + q, stride, p, d, outStride, dQkv + q)
  }
}

/** The backward pass of one head. Keys follow `apart` bytes after the queries q, and values after them. */
function headBackward(
  steps: usize,
  head: usize,
  apart: usize,
  q: usize,
  stride: usize,
  p: usize,
  d: usize,
  strideD: usize,
  dQ: usize,
): void {
  const row = steps * 4
  const scale: f32 = 1 / sqrt<f32>(<f32>head)
  const k = q + apart
  const v = k + apart
  backToSteps(steps, head, p, d, strideD, dQ + 2 * apart, stride)
  const block = min(BLOCK, max<usize>(1, WORKSPACE_BYTES / row))
  for (let i: usize = 0; i < steps; i += block) {
    const past = min(i + block, steps)
    const count = past - i
    const dP = workspace()
    product(count, past, head, d + i * strideD, strideD, 4, v, 4, stride, dP, row, false)
    for (let r: usize = 0; r < count; r++)
      backSoftmax(i + r + 1, p + (i + r) * row, dP + r * row, scale)
    product(count, head, past, p + i * row, row, 4, k, stride, 4, dQ + i * stride, stride, false)
  }
  backToSteps(steps, head, p, q, stride, dQ + apart, stride)
}

/** out = Pᵀ·D for a head's steps × steps matrix P, whose rows are zero after their step. */
function backToSteps(
  steps: usize,
  head: usize,
  p: usize,
  d: usize,
  strideD: usize,
  out: usize,
  stride: usize,
): void {
  const row = steps * 4
  for (let j: usize = 0; j < steps; j += BLOCK) {
    const count = min(BLOCK, steps - j)
    const from = p + j * row + j * 4
    const to = out + j * stride
    product(count, head, steps - j, from, 4, row, d + j * strideD, strideD, 4, to, stride, false)
  }
}

/** p = dLogits = scale·p∘(dP − p·dP), with zeros left for the future. */
function backSoftmax(past: usize, p: usize, dP: usize, scale: f32): void {
  const inner = dot(p, dP, past)
  for (let j: usize = 0; j < past; j++) {
    store<f32>(p + j * 4, scale * load<f32>(p + j * 4) * (load<f32>(dP + j * 4) - inner))
  }
}
