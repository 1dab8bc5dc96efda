// Layer normalisation by row.

import { loadUpTo, multiplyAdd, storeUpTo, sumLanes, zeroOrNaN } from './vector'

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
  if (columns == 0) return // An empty row has no mean.
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
      const centred = f32x4.sub(loadUpTo(row + j * 4, left), f32x4.splat(mean))
      const normal = f32x4.mul(centred, f32x4.splat(scale))
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
    const centred = f32x4.sub(v128.load(row + j * 4), f32x4.splat(mean))
    total = multiplyAdd(centred, centred, total)
  }
  let result = sumLanes(total)
  for (; j < columns; j++) {
    const centred = load<f32>(row + j * 4) - mean
    result += centred * centred
  }
  return result
}

/** With x̂ the normalised row and g = gain∘dOut: dX += scale·(g − mean(g) − x̂·mean(g∘x̂)). */
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
