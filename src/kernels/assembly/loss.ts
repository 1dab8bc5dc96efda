// Softmax, cross-entropy and BPR-max of rows, in place.

import { exp4, logarithm } from './functions'
import { endOf } from './range'
import {
  loadUpTo,
  maxLanes,
  multiplyAdd,
  storeUpTo,
  sumLanes,
  clearAbove,
  zeroOrNaN,
} from './vector'

/** row = softmax(scale·row). */
export function softmaxInPlace(row: usize, count: usize, scale: f32): void {
  const total = exponentials(row, count, scale, scale * largest(row, count))
  scaleRow(row, count, 1 / total)
}

/** Returns the largest value of a row (count ≥ 1). */
export function largest(row: usize, count: usize): f32 {
  let best = f32x4.splat(load<f32>(row))
  let j: usize = 0
  for (; j + 4 <= count; j += 4) best = f32x4.pmax(best, v128.load(row + j * 4))
  let result = maxLanes(best)
  for (; j < count; j++) result = max(result, load<f32>(row + j * 4))
  return result
}

/** row = exp(scale·row − shift); returns the sum. */
function exponentials(row: usize, count: usize, scale: f32, shift: f32): f32 {
  const factor = f32x4.splat(scale)
  const offset = f32x4.splat(-shift)
  let total = f32x4.splat(0)
  let j: usize = 0
  for (; j + 4 <= count; j += 4) {
    const e = exp4(multiplyAdd(factor, v128.load(row + j * 4), offset))
    v128.store(row + j * 4, e)
    total = f32x4.add(total, e)
  }
  let sum = sumLanes(total)
  for (; j < count; j++) {
    const shifted = multiplyAdd(factor, v128.load32_zero(row + j * 4), offset)
    const e = f32x4.extract_lane(exp4(shifted), 0)
    store<f32>(row + j * 4, e)
    sum += e
  }
  return sum
}

function scaleRow(row: usize, count: usize, factor: f32): void {
  const f = f32x4.splat(factor)
  for (let j: usize = 0; j < count; j += 4) {
    storeUpTo(row + j * 4, count - j, f32x4.mul(f, loadUpTo(row + j * 4, count - j)))
  }
}

export function crossEntropyRows(
  rows: usize,
  columns: usize,
  targets: usize,
  weights: usize,
  logits: usize,
  losses: usize,
  begin: usize,
  end: usize,
): void {
  end = endOf(end, rows)
  for (let i = begin; i < end; i++) {
    const row = logits + i * columns * 4
    const target = row + load<u32>(targets + i * 4) * 4
    const weight = load<f32>(weights + i * 4)
    const top = largest(row, columns)
    const score = load<f32>(target)
    const total = exponentials(row, columns, 1, top)
    store<f32>(losses + i * 4, <f32>(logarithm(total) + <f64>(top - score)))
    scaleRow(row, columns, weight / total)
    store<f32>(target, load<f32>(target) - weight)
  }
}

// BPR-max: the target of each row against a softmax of its negatives. The target is swapped with the
// last column during the computation, so that the negatives are contiguous.

const FLOOR: f64 = 1e-24 // keeps the logarithm finite if the target's probability is 0

export function bprMaxRows(
  elu: bool,
  rows: usize,
  columns: usize,
  alpha: f32,
  regularization: f32,
  targets: usize,
  weights: usize,
  scores: usize,
  losses: usize,
  begin: usize,
  end: usize,
): void {
  end = endOf(end, rows)
  for (let i = begin; i < end; i++) {
    const row = scores + i * columns * 4
    const target = row + load<u32>(targets + i * 4) * 4
    const last = row + (columns - 1) * 4
    if (elu) activate(row, columns, alpha)
    swap(target, last)
    const weight = load<f32>(weights + i * 4)
    const loss = lossAndGradient(row, columns - 1, elu, alpha, regularization, weight)
    swap(target, last)
    store<f32>(losses + i * 4, loss)
  }
}

/** row = row if positive, else alpha·(e^row − 1). */
function activate(row: usize, count: usize, alpha: f32): void {
  for (let j: usize = 0; j < count; j += 4) {
    const x = loadUpTo(row + j * 4, count - j)
    const below = f32x4.mul(f32x4.splat(alpha), f32x4.sub(exp4(x), f32x4.splat(1)))
    storeUpTo(row + j * 4, count - j, v128.bitselect(x, below, isPositive(x)))
  }
}

/** The slope of `activate`, from its result: 1 if positive, else o + alpha. */
function slope4(o: v128, alpha: f32): v128 {
  return v128.bitselect(f32x4.splat(1), f32x4.add(o, f32x4.splat(alpha)), isPositive(o))
}

function isPositive(x: v128): v128 {
  return f32x4.gt(x, f32x4.splat(0))
}

function swap(a: usize, b: usize): void {
  const value = load<f32>(a)
  store<f32>(a, load<f32>(b))
  store<f32>(b, value)
}

/**
 * Returns the loss of `count` negatives o_j followed by the target o_t, and replaces all of them by
 * gradients.
 * With s = softmax(o_j), σ_j = σ(o_t − o_j), P = Σ s_j σ_j and Q = Σ s_j o_j²:
 * ∂P/∂o_j = s_j(σ_j² − P), ∂P/∂o_t = Σ s_j σ_j(1 − σ_j), ∂Q/∂o_j = s_j(o_j² + 2o_j − Q).
 */
function lossAndGradient(
  row: usize,
  count: usize,
  elu: bool,
  alpha: f32,
  regularization: f32,
  weight: f32,
): f32 {
  const last = row + count * 4
  const target = load<f32>(last)
  if (count == 0) {
    store<f32>(last, zeroOrNaN(weight) + zeroOrNaN(target))
    return 0
  }
  const top = largest(row, count)
  // σ_j = 1/(1 + e^(o_j − o_t)), whose exponential is that of the softmax times `lead`. The bound
  // keeps `lead` finite, because it is multiplied by exponentials of 0.
  const lead = exp4(f32x4.splat(min<f32>(88, top - target)))
  let total = f32x4.splat(0)
  let wins = f32x4.splat(0)
  let rises = f32x4.splat(0)
  let squares = f32x4.splat(0)
  for (let j: usize = 0; j < count; j += 4) {
    const o = loadUpTo(row + j * 4, count - j)
    const e = clearAbove(count - j, exp4(f32x4.sub(o, f32x4.splat(top))))
    const odds = f32x4.mul(e, lead)
    const win = f32x4.div(f32x4.splat(1), f32x4.add(f32x4.splat(1), odds))
    const won = f32x4.mul(e, win)
    total = f32x4.add(total, e)
    wins = f32x4.add(wins, won)
    rises = multiplyAdd(won, f32x4.mul(odds, win), rises) // 1 − σ_j, without cancellation
    squares = multiplyAdd(e, f32x4.mul(o, o), squares)
  }
  const scale: f32 = 1 / sumLanes(total)
  const p: f32 = scale * sumLanes(wins)
  const q: f32 = scale * sumLanes(squares)
  const steepness = <f32>(1 / (<f64>p + FLOOR))
  negativeGradients(row, count, elu, alpha, regularization, weight * scale, top, lead, p, q)
  const slope = elu ? f32x4.extract_lane(slope4(f32x4.splat(target), alpha), 0) : 1
  store<f32>(last, -weight * scale * sumLanes(rises) * steepness * slope)
  return <f32>(regularization * q - logarithm(<f64>p + FLOOR))
}

/** Replaces every o_j by its gradient. Recomputes the exponentials, which were not stored. */
function negativeGradients(
  row: usize,
  count: usize,
  elu: bool,
  alpha: f32,
  regularization: f32,
  scale: f32,
  top: f32,
  lead: v128,
  p: f32,
  q: f32,
): void {
  const steepness = f32x4.splat(<f32>(1 / (<f64>p + FLOOR)))
  for (let j: usize = 0; j < count; j += 4) {
    const o = loadUpTo(row + j * 4, count - j)
    const e = exp4(f32x4.sub(o, f32x4.splat(top)))
    const win = f32x4.div(f32x4.splat(1), multiplyAdd(e, lead, f32x4.splat(1)))
    const miss = f32x4.mul(f32x4.sub(f32x4.splat(p), f32x4.mul(win, win)), steepness)
    const spread = f32x4.sub(f32x4.mul(o, o), f32x4.splat(q)) // before adding 2o, which o² would absorb
    const penalty = f32x4.add(spread, f32x4.add(o, o))
    const bend = multiplyAdd(f32x4.splat(regularization), penalty, miss)
    const slope = elu ? slope4(o, alpha) : f32x4.splat(1)
    const weighted = f32x4.mul(f32x4.mul(e, f32x4.splat(scale)), slope)
    storeUpTo(row + j * 4, count - j, f32x4.mul(bend, weighted))
  }
}
