// GRU over a batch of sequences; equations and layouts are in contract/layers.ts.
//
// A block of `gates` has rows [r | z | n | q]. The recurrent products are written straight into it
// and then turned into gates in place, so a step needs no memory of its own.

import { sigmoid4, tanh4 } from './functions'
import { fitsPacked, product, productPacked } from './matrix-product'
import { pack } from './packing'
import { loadUpTo, multiplyAdd, storeUpTo } from './vector'

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
): void {
  const width = hidden * 4
  const isPacked = !resetBefore && fitsPacked(3 * hidden, hidden)
  if (isPacked) pack(hidden, 3 * hidden, weights, 4, width)
  for (let t: usize = 0; t < steps; t++) {
    const h = states + t * batch * width
    const next = h + batch * width
    const x = inputs + t * batch * 3 * width
    const g = gates + t * batch * 4 * width
    if (resetBefore) {
      product(batch, 2 * hidden, hidden, h, width, 4, weights, 4, width, g, 4 * width, false)
      resetGate(batch, hidden, x, bias, h, g)
      product(
        batch,
        hidden,
        hidden,
        g + 3 * width,
        4 * width,
        4,
        weights + 2 * hidden * width,
        4,
        width,
        g + 2 * width,
        4 * width,
        false,
      )
      stepBefore(batch, hidden, x, bias, h, g, next)
    } else {
      if (isPacked) productPacked(batch, 3 * hidden, hidden, h, width, 4, g, 4 * width, false)
      else product(batch, 3 * hidden, hidden, h, width, 4, weights, 4, width, g, 4 * width, false)
      stepAfter(batch, hidden, x, bias, h, g, next)
    }
  }
}

function stepAfter(
  batch: usize,
  hidden: usize,
  x: usize,
  bias: usize,
  h: usize,
  g: usize,
  next: usize,
): void {
  const width = hidden * 4
  for (let b: usize = 0; b < batch; b++) {
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
    x += 3 * width
    g += 4 * width
    h += width
    next += width
  }
}

/** σ(x + recurrent + bias), in place. A pass of its own: what waits for r would hold up the rest. */
function gateRow(count: usize, x: usize, bias: usize, recurrent: usize): void {
  for (let j: usize = 0; j < count; j += 4) {
    const left = count - j
    const at = j * 4
    const sum = f32x4.add(loadUpTo(x + at, left), loadUpTo(recurrent + at, left))
    const gate = sigmoid4(f32x4.add(sum, loadUpTo(bias + at, left)))
    storeUpTo(recurrent + at, left, gate)
  }
}

/** z∘x + (1−z)∘y; y + z∘(x − y) would lose x beside a large y. */
function mix(z: v128, x: v128, y: v128): v128 {
  return multiplyAdd(z, x, f32x4.mul(f32x4.sub(f32x4.splat(1), z), y))
}

/** r, and q = r∘h, which the second product needs. */
function resetGate(batch: usize, hidden: usize, x: usize, bias: usize, h: usize, g: usize): void {
  const width = hidden * 4
  for (let b: usize = 0; b < batch; b++) {
    gateRow(hidden, x, bias, g)
    for (let j: usize = 0; j < hidden; j += 4) {
      const left = hidden - j
      const at = j * 4
      const q = f32x4.mul(loadUpTo(g + at, left), loadUpTo(h + at, left))
      storeUpTo(g + 3 * width + at, left, q)
    }
    x += 3 * width
    g += 4 * width
    h += width
  }
}

function stepBefore(
  batch: usize,
  hidden: usize,
  x: usize,
  bias: usize,
  h: usize,
  g: usize,
  next: usize,
): void {
  const width = hidden * 4
  for (let b: usize = 0; b < batch; b++) {
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
    x += 3 * width
    g += 4 * width
    h += width
    next += width
  }
}
