// The GRU over a batch of sequences. The equations and layouts are in contract/layers.ts.
//
// A block of `gates` has rows [r | z | n | q]. The recurrent products are written into it and then
// converted to gates in place, so that a step needs no further memory. A range is one of sequences, which
// do not depend on each other.

import { sigmoid4, tanh4 } from './functions'
import { fitsPacked, product, productPacked, pack } from './matrix-product'
import { endOf } from './range'
import { loadUpTo, multiplyAdd, storeUpTo, sumStridedRows } from './vector'

export function gruForward(
  resetBefore: bool,
  steps: usize,
  batch: usize,
  hidden: usize,
  inputs: usize,
  weights: usize,
  bias: usize,
  states: usize,
  gates: usize,
  begin: usize,
  end: usize,
): void {
  const width = hidden * 4
  const block = batch * width
  const first = begin * width
  const count = endOf(end, batch) - begin
  const part = count * width
  const isPacked = !resetBefore && fitsPacked(3 * hidden, hidden)
  if (isPacked) pack(hidden, 3 * hidden, weights, 4, width)
  for (let t: usize = 0; t < steps; t++) {
    const h = states + t * block + first
    const next = h + block
    const x = inputs + 3 * (t * block + first)
    const g = gates + 4 * (t * block + first)
    if (resetBefore) {
      stepsBefore(count, hidden, x, weights, bias, h, g, next)
    } else {
      if (isPacked) productPacked(count, 3 * hidden, hidden, h, width, 4, g, 4 * width, false)
      else product(count, 3 * hidden, hidden, h, width, 4, weights, 4, width, g, 4 * width, false)
      for (let at: usize = 0; at < part; at += width) {
        stepAfter(hidden, x + 3 * at, bias, h + at, g + 4 * at, next + at)
      }
    }
  }
}

/** A step of `count` sequences with the reset gate before the recurrent product. */
function stepsBefore(
  count: usize,
  hidden: usize,
  x: usize,
  weights: usize,
  bias: usize,
  h: usize,
  g: usize,
  next: usize,
): void {
  const width = hidden * 4
  const part = count * width
  product(count, 2 * hidden, hidden, h, width, 4, weights, 4, width, g, 4 * width, false)
  for (let at: usize = 0; at < part; at += width)
    resetGate(hidden, x + 3 * at, bias, h + at, g + 4 * at)
  const q = g + 3 * width
  const n = g + 2 * width
  const candidate = weights + 2 * hidden * width
  product(count, hidden, hidden, q, 4 * width, 4, candidate, 4, width, n, 4 * width, false)
  for (let at: usize = 0; at < part; at += width) {
    stepBefore(hidden, x + 3 * at, bias, h + at, g + 4 * at, next + at)
  }
}

/** One row of a step with the reset gate after the recurrent product. */
function stepAfter(hidden: usize, x: usize, bias: usize, h: usize, g: usize, next: usize): void {
  const width = hidden * 4
  gateRow(2 * hidden, x, bias, g)
  for (let j: usize = 0; j < hidden; j += 4) {
    const left = hidden - j
    const at = j * 4
    const r = loadUpTo(g + at, left)
    const z = loadUpTo(g + width + at, left)
    const q = f32x4.add(loadUpTo(g + 2 * width + at, left), loadUpTo(bias + 2 * width + at, left))
    const n = tanh4(multiplyAdd(r, q, loadUpTo(x + 2 * width + at, left)))
    storeUpTo(g + 2 * width + at, left, n)
    storeUpTo(g + 3 * width + at, left, q)
    storeUpTo(next + at, left, mix(z, loadUpTo(h + at, left), n))
  }
}

/**
 * σ(x + recurrent + bias), in place. A separate pass, because waiting for r would stall the rest.
 */
function gateRow(count: usize, x: usize, bias: usize, recurrent: usize): void {
  for (let j: usize = 0; j < count; j += 4) {
    const left = count - j
    const at = j * 4
    const sum = f32x4.add(loadUpTo(x + at, left), loadUpTo(recurrent + at, left))
    const gate = sigmoid4(f32x4.add(sum, loadUpTo(bias + at, left)))
    storeUpTo(recurrent + at, left, gate)
  }
}

/** z∘x + (1−z)∘y. The shorter y + z∘(x − y) would lose x if y is large. */
function mix(z: v128, x: v128, y: v128): v128 {
  return multiplyAdd(z, x, f32x4.mul(f32x4.sub(f32x4.splat(1), z), y))
}

/** One row of r and q = r∘h, the input of the second product. */
function resetGate(hidden: usize, x: usize, bias: usize, h: usize, g: usize): void {
  const width = hidden * 4
  gateRow(hidden, x, bias, g)
  for (let j: usize = 0; j < hidden; j += 4) {
    const left = hidden - j
    const at = j * 4
    const q = f32x4.mul(loadUpTo(g + at, left), loadUpTo(h + at, left))
    storeUpTo(g + 3 * width + at, left, q)
  }
}

/** One row of a step with the reset gate before the recurrent product. */
function stepBefore(hidden: usize, x: usize, bias: usize, h: usize, g: usize, next: usize): void {
  const width = hidden * 4
  gateRow(hidden, x + width, bias + width, g + width)
  for (let j: usize = 0; j < hidden; j += 4) {
    const left = hidden - j
    const at = j * 4
    const z = loadUpTo(g + width + at, left)
    const sum = f32x4.add(loadUpTo(x + 2 * width + at, left), loadUpTo(g + 2 * width + at, left))
    const n = tanh4(f32x4.add(sum, loadUpTo(bias + 2 * width + at, left)))
    storeUpTo(g + 2 * width + at, left, n)
    storeUpTo(next + at, left, mix(z, n, loadUpTo(h + at, left)))
  }
}

// The backward pass of a GRU, in two passes: the gradients of sequences, from the last step to the first,
// and then those of the weights, which sum over all sequences.

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
  begin: usize,
  end: usize,
): void {
  const width = hidden * 4
  const block = batch * width
  const first = begin * width
  const count = endOf(end, batch) - begin
  const part = count * width
  const isPacked = !resetBefore && fitsPacked(hidden, 3 * hidden)
  if (isPacked) pack(3 * hidden, hidden, weights, width, 4)
  for (let t = steps; t-- > 0;) {
    const h = states + t * block + first
    const g = gates + 4 * (t * block + first)
    const dh = dStates + t * block + first
    const dNext = dh + block
    const dx = dInputs + 3 * (t * block + first)
    const dr = dRecurrent + 3 * (t * block + first)
    if (resetBefore) {
      for (let at: usize = 0; at < part; at += width) {
        backBefore(hidden, h + at, g + 4 * at, dNext + at, dh + at, dx + 3 * at, dr + 3 * at)
      }
      const dn = dr + 2 * width
      const candidate = weights + 2 * hidden * width
      product(count, hidden, hidden, dn, 3 * width, 4, candidate, width, 4, dr, 3 * width, false)
      for (let at: usize = 0; at < part; at += width) {
        backReset(hidden, h + at, g + 4 * at, dh + at, dx + 3 * at, dr + 3 * at)
      }
      product(count, hidden, 2 * hidden, dr, 3 * width, 4, weights, width, 4, dh, width, true)
    } else {
      for (let at: usize = 0; at < part; at += width) {
        backAfter(hidden, h + at, g + 4 * at, dNext + at, dh + at, dx + 3 * at, dr + 3 * at)
      }
      if (isPacked) productPacked(count, hidden, 3 * hidden, dr, 3 * width, 4, dh, width, true)
      else product(count, hidden, 3 * hidden, dr, 3 * width, 4, weights, width, 4, dh, width, true)
    }
  }
}

/** The second pass of `gruBackward`. The range is one of the rows of dWeights. */
export function gruWeightGradients(
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
  begin: usize,
  end: usize,
): void {
  const width = hidden * 4
  const rows = steps * batch
  end = endOf(end, 3 * hidden)
  // The rows of the candidate have another operand if the reset gate comes before the product.
  const direct: usize = resetBefore ? min(end, 2 * hidden) : end
  if (begin < direct) {
    const from = dRecurrent + begin * 4
    const out = dWeights + begin * width
    product(direct - begin, hidden, rows, from, 4, 3 * width, states, width, 4, out, width, true)
  }
  const rest = max(begin, direct)
  if (rest < end) {
    const from = dRecurrent + rest * 4
    const q = gates + 3 * width
    const out = dWeights + rest * width
    product(end - rest, hidden, rows, from, 4, 3 * width, q, 4 * width, 4, out, width, true)
  }
  sumStridedRows(rows, end - begin, dRecurrent + begin * 4, 3 * width, dBias + begin * 4)
}

/** y·(1 − y): the slope of the sigmoid at output y. */
function slope(y: v128): v128 {
  return f32x4.mul(y, f32x4.sub(f32x4.splat(1), y))
}

function backAfter(
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
}

/** Gradients of the candidate and update gates. The reset gate needs dq = dn·U_n first. */
function backBefore(
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
}

/** Replaces dq by the gradient of the reset gate. */
function backReset(hidden: usize, h: usize, g: usize, dh: usize, dx: usize, dr: usize): void {
  const width = hidden * 4
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
}
