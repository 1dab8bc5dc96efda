// Passes over all rows of an embedding matrix, and the selection of the best. `begin` and `end` are
// the bounds of the rows of one thread.

import { product } from './matrix-product'
import { workspace, WORKSPACE_BYTES } from './scratch'
import { dot, zeroOrNaN } from './vector'

export function dotRows(
  rows: usize,
  columns: usize,
  x: usize,
  vector: usize,
  out: usize,
  begin: usize,
  end: usize,
): void {
  for (let i = begin; i < end; i++)
    store<f32>(out + i * 4, dot(x + i * columns * 4, vector, columns))
}

export function rowNorms(
  rows: usize,
  columns: usize,
  x: usize,
  out: usize,
  begin: usize,
  end: usize,
): void {
  for (let i = begin; i < end; i++) {
    const row = x + i * columns * 4
    store<f32>(out + i * 4, sqrt<f32>(dot(row, row, columns)))
  }
}

/** Whitens rows block by block with a matrix product, then sums squares. */
export function quadraticForms(
  rows: usize,
  columns: usize,
  x: usize,
  whitening: usize,
  out: usize,
  begin: usize,
  end: usize,
): void {
  const stride = columns * 4
  if (columns == 0) return memory.fill(out + begin * 4, 0, (end - begin) * 4)
  const block = max<usize>(1, WORKSPACE_BYTES / stride)
  for (let i = begin; i < end; i += block) {
    const count = min(block, end - i)
    const from = x + i * stride
    const to = workspace()
    product(count, columns, columns, from, stride, 4, whitening, 4, stride, to, stride, false)
    for (let r: usize = 0; r < count; r++) {
      const row = workspace() + r * stride
      store<f32>(out + (i + r) * 4, dot(row, row, columns))
    }
  }
}

export function rankOneUpdate(
  rows: usize,
  columns: usize,
  scale: f32,
  x: usize,
  direction: usize,
  forms: usize,
  begin: usize,
  end: usize,
): void {
  for (let i = begin; i < end; i++) {
    const overlap = dot(x + i * columns * 4, direction, columns)
    const form = max<f32>(0, load<f32>(forms + i * 4) - scale * overlap * overlap)
    store<f32>(forms + i * 4, form + zeroOrNaN(overlap))
  }
}

/**
 * Uses a heap of the n best so far with the worst at the root: the smallest value and, among equals,
 * the largest index. Skips blocks of four without a value above the root.
 */
export function topN(count: usize, n: usize, scores: usize, indices: usize, values: usize): void {
  if (n == 0) return
  for (let i: usize = 0; i < n; i++) {
    store<f32>(values + i * 4, load<f32>(scores + i * 4))
    store<u32>(indices + i * 4, i)
  }
  for (let i = n / 2; i-- > 0;) siftDown(i, n, indices, values)
  let i = n
  while (i < count) {
    if (i + 4 <= count) {
      const better = f32x4.gt(v128.load(scores + i * 4), v128.load32_splat(values))
      if (!v128.any_true(better)) {
        i += 4
        continue
      }
    }
    const stop = min(i + 4, count)
    for (; i < stop; i++) {
      const score = load<f32>(scores + i * 4)
      if (score > load<f32>(values)) {
        store<f32>(values, score)
        store<u32>(indices, i)
        siftDown(0, n, indices, values)
      }
    }
  }
  for (let last = n - 1; last > 0; last--) {
    swap(0, last, indices, values)
    siftDown(0, last, indices, values)
  }
}

function siftDown(root: usize, n: usize, indices: usize, values: usize): void {
  for (;;) {
    let worst = root
    const left = root * 2 + 1
    if (left < n && isWorse(left, worst, indices, values)) worst = left
    if (left + 1 < n && isWorse(left + 1, worst, indices, values)) worst = left + 1
    if (worst == root) return
    swap(root, worst, indices, values)
    root = worst
  }
}

function isWorse(a: usize, b: usize, indices: usize, values: usize): bool {
  const va = load<f32>(values + a * 4)
  const vb = load<f32>(values + b * 4)
  return va < vb || (va == vb && load<u32>(indices + a * 4) > load<u32>(indices + b * 4))
}

function swap(a: usize, b: usize, indices: usize, values: usize): void {
  const value = load<f32>(values + a * 4)
  const index = load<u32>(indices + a * 4)
  store<f32>(values + a * 4, load<f32>(values + b * 4))
  store<u32>(indices + a * 4, load<u32>(indices + b * 4))
  store<f32>(values + b * 4, value)
  store<u32>(indices + b * 4, index)
}
