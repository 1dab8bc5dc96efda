// The backward pass of a GRU, from the last step to the first.

import { sumStridedRows } from './elementwise'
import { fitsPacked, product, productPacked } from './matrix-product'
import { pack } from './packing'
import { loadUpTo, multiplyAdd, storeUpTo } from './vector'

export function gruBackward(
  resetBefore: bool,
  steps: usize,
  batch: usize,
  hidden: usize,
  weights: usize,
  states: usize,
  gates: usize,
  dStates: usize,
  dInputs: usize,
  dRecurrent: usize,
  dWeights: usize,
  dBias: usize,
): void {
  const width = hidden * 4
  const isPacked = !resetBefore && fitsPacked(hidden, 3 * hidden)
  if (isPacked) pack(3 * hidden, hidden, weights, width, 4)
  for (let t = steps; t-- > 0;) {
    const h = states + t * batch * width
    const g = gates + t * batch * 4 * width
    const dh = dStates + t * batch * width
    const dNext = dh + batch * width
    const dx = dInputs + t * batch * 3 * width
    const dr = dRecurrent + t * batch * 3 * width
    if (resetBefore) {
      backBefore(batch, hidden, h, g, dNext, dh, dx, dr)
      product(
        batch,
        hidden,
        hidden,
        dr + 2 * width,
        3 * width,
        4,
        weights + 2 * hidden * width,
        width,
        4,
        dr,
        3 * width,
        false,
      )
      backReset(batch, hidden, h, g, dh, dx, dr)
      product(batch, hidden, 2 * hidden, dr, 3 * width, 4, weights, width, 4, dh, width, true)
    } else {
      backAfter(batch, hidden, h, g, dNext, dh, dx, dr)
      if (isPacked) productPacked(batch, hidden, 3 * hidden, dr, 3 * width, 4, dh, width, true)
      else product(batch, hidden, 3 * hidden, dr, 3 * width, 4, weights, width, 4, dh, width, true)
    }
  }
  const rows = steps * batch
  const direct: usize = resetBefore ? 2 * hidden : 3 * hidden
  product(direct, hidden, rows, dRecurrent, 4, 3 * width, states, width, 4, dWeights, width, true)
  if (resetBefore) {
    product(
      hidden,
      hidden,
      rows,
      dRecurrent + 2 * width,
      4,
      3 * width,
      gates + 3 * width,
      4 * width,
      4,
      dWeights + 2 * hidden * width,
      width,
      true,
    )
  }
  sumStridedRows(rows, 3 * hidden, dRecurrent, 3 * width, dBias)
}

/** y·(1 − y): the slope of the sigmoid at output y. */
function slope(y: v128): v128 {
  return f32x4.mul(y, f32x4.sub(f32x4.splat(1), y))
}

function backAfter(
  batch: usize,
  hidden: usize,
  h: usize,
  g: usize,
  dNext: usize,
  dh: usize,
  dx: usize,
  dr: usize,
): void {
  const width = hidden * 4
  const one = f32x4.splat(1)
  for (let b: usize = 0; b < batch; b++) {
    for (let j: usize = 0; j < hidden; j += 4) {
      const left = hidden - j
      const at = j * 4
      const r = loadUpTo(g + at, left)
      const z = loadUpTo(g + width + at, left)
      const n = loadUpTo(g + 2 * width + at, left)
      const q = loadUpTo(g + 3 * width + at, left)
      const d = loadUpTo(dNext + at, left)
      const dn = f32x4.mul(f32x4.mul(d, f32x4.sub(one, z)), f32x4.sub(one, f32x4.mul(n, n)))
      const dz = f32x4.mul(f32x4.mul(d, f32x4.sub(loadUpTo(h + at, left), n)), slope(z))
      const dReset = f32x4.mul(f32x4.mul(dn, q), slope(r))
      storeUpTo(dx + at, left, dReset)
      storeUpTo(dx + width + at, left, dz)
      storeUpTo(dx + 2 * width + at, left, dn)
      storeUpTo(dr + at, left, dReset)
      storeUpTo(dr + width + at, left, dz)
      storeUpTo(dr + 2 * width + at, left, f32x4.mul(dn, r))
      storeUpTo(dh + at, left, multiplyAdd(d, z, loadUpTo(dh + at, left)))
    }
    h += width
    g += 4 * width
    dNext += width
    dh += width
    dx += 3 * width
    dr += 3 * width
  }
}

/** The candidate and update gates; the reset gate waits for dq = dn·U_n. */
function backBefore(
  batch: usize,
  hidden: usize,
  h: usize,
  g: usize,
  dNext: usize,
  dh: usize,
  dx: usize,
  dr: usize,
): void {
  const width = hidden * 4
  const one = f32x4.splat(1)
  for (let b: usize = 0; b < batch; b++) {
    for (let j: usize = 0; j < hidden; j += 4) {
      const left = hidden - j
      const at = j * 4
      const z = loadUpTo(g + width + at, left)
      const n = loadUpTo(g + 2 * width + at, left)
      const d = loadUpTo(dNext + at, left)
      const dn = f32x4.mul(f32x4.mul(d, z), f32x4.sub(one, f32x4.mul(n, n)))
      const dz = f32x4.mul(f32x4.mul(d, f32x4.sub(n, loadUpTo(h + at, left))), slope(z))
      storeUpTo(dx + width + at, left, dz)
      storeUpTo(dx + 2 * width + at, left, dn)
      storeUpTo(dr + width + at, left, dz)
      storeUpTo(dr + 2 * width + at, left, dn)
      storeUpTo(dh + at, left, multiplyAdd(d, f32x4.sub(one, z), loadUpTo(dh + at, left)))
    }
    h += width
    g += 4 * width
    dNext += width
    dh += width
    dx += 3 * width
    dr += 3 * width
  }
}

/** Finds dq where the reset gate's gradient goes, and puts that there. */
function backReset(
  batch: usize,
  hidden: usize,
  h: usize,
  g: usize,
  dh: usize,
  dx: usize,
  dr: usize,
): void {
  const width = hidden * 4
  for (let b: usize = 0; b < batch; b++) {
    for (let j: usize = 0; j < hidden; j += 4) {
      const left = hidden - j
      const at = j * 4
      const r = loadUpTo(g + at, left)
      const dq = loadUpTo(dr + at, left)
      const dReset = f32x4.mul(f32x4.mul(dq, loadUpTo(h + at, left)), slope(r))
      storeUpTo(dx + at, left, dReset)
      storeUpTo(dr + at, left, dReset)
      storeUpTo(dh + at, left, multiplyAdd(dq, r, loadUpTo(dh + at, left)))
    }
    h += width
    g += 4 * width
    dh += width
    dx += 3 * width
    dr += 3 * width
  }
}
