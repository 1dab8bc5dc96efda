// Passes over all rows of an embedding matrix.

import { product } from './matrix-product'
import { endOf } from './range'
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
  end = endOf(end, rows)
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
  end = endOf(end, rows)
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
  end = endOf(end, rows)
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
  end = endOf(end, rows)
  for (let i = begin; i < end; i++) {
    const overlap = dot(x + i * columns * 4, direction, columns)
    const form = max<f32>(0, load<f32>(forms + i * 4) - scale * overlap * overlap)
    store<f32>(forms + i * 4, form + zeroOrNaN(overlap))
  }
}
