// Optimizer steps, dropout masks and scores of pairs.

import { endOf } from './range'
import { loadUpTo, multiplyAdd, storeUpTo, addScaledRow, dot } from './vector'

export function adam(
  rows: usize,
  columns: usize,
  rate: f32,
  beta1: f32,
  beta2: f32,
  epsilon: f32,
  correction1: f32,
  correction2: f32,
  gradient: usize,
  firstMoment: usize,
  secondMoment: usize,
  parameters: usize,
  begin: usize,
  end: usize,
): void {
  const count = endOf(end, rows) * columns
  const step = f32x4.splat(rate / correction1)
  const root: f32 = 1 / sqrt<f32>(correction2)
  for (let i = begin * columns; i < count; i += 4) {
    const left = count - i
    const g = loadUpTo(gradient + i * 4, left)
    const newM = f32x4.mul(f32x4.splat(1 - beta1), g)
    const m = multiplyAdd(f32x4.splat(beta1), loadUpTo(firstMoment + i * 4, left), newM)
    const newV = f32x4.mul(f32x4.splat(1 - beta2), f32x4.mul(g, g))
    const v = multiplyAdd(f32x4.splat(beta2), loadUpTo(secondMoment + i * 4, left), newV)
    const scale = multiplyAdd(f32x4.sqrt(v), f32x4.splat(root), f32x4.splat(epsilon))
    const p = f32x4.sub(loadUpTo(parameters + i * 4, left), f32x4.div(f32x4.mul(step, m), scale))
    storeUpTo(firstMoment + i * 4, left, m)
    storeUpTo(secondMoment + i * 4, left, v)
    storeUpTo(parameters + i * 4, left, p)
  }
}

export function adagrad(
  rows: usize,
  columns: usize,
  rate: f32,
  epsilon: f32,
  momentum: f32,
  gradient: usize,
  accumulator: usize,
  velocity: usize,
  parameters: usize,
  begin: usize,
  end: usize,
): void {
  const count = endOf(end, rows) * columns
  for (let i = begin * columns; i < count; i += 4) {
    const left = count - i
    const g = loadUpTo(gradient + i * 4, left)
    const s = multiplyAdd(g, g, loadUpTo(accumulator + i * 4, left))
    const root = f32x4.sqrt(f32x4.add(s, f32x4.splat(epsilon)))
    const step = f32x4.div(f32x4.mul(f32x4.splat(rate), g), root)
    const scaled = f32x4.mul(f32x4.splat(momentum), loadUpTo(velocity + i * 4, left))
    const v = f32x4.sub(scaled, step)
    storeUpTo(accumulator + i * 4, left, s)
    storeUpTo(velocity + i * 4, left, v)
    storeUpTo(parameters + i * 4, left, f32x4.add(loadUpTo(parameters + i * 4, left), v))
  }
}

const STRIDE: i32 = <i32>0x9e3779b9

/** `rate` and `seed` are float64, because rounding to float32 would change the mask. */
export function dropoutMask(
  rows: usize,
  columns: usize,
  rate: f64,
  seed: f64,
  mask: usize,
  begin: usize,
  end: usize,
): void {
  const first = begin * columns
  const count = endOf(end, rows) * columns
  const scaled = f32x4.splat(<f32>(1 / (1 - rate)))
  const threshold = i32x4.splat(<i32>ceil(rate * 16777216))
  const start = mix4(i32x4.splat(<i32>(<i64>seed)))
  const place = i32x4.add(i32x4.splat(<i32>first), i32x4(1, 2, 3, 4))
  let state = i32x4.add(start, i32x4.mul(i32x4.splat(STRIDE), place))
  for (let i = first; i < count; i += 4) {
    const isRetained = i32x4.ge_s(i32x4.shr_u(mix4(state), 8), threshold)
    storeUpTo(mask + i * 4, count - i, v128.and(isRetained, scaled))
    state = i32x4.add(state, i32x4.splat(4 * STRIDE))
  }
}

/** MurmurHash3's finalizer in each lane. */
function mix4(x: v128): v128 {
  let h = x
  h = i32x4.mul(v128.xor(h, i32x4.shr_u(h, 16)), i32x4.splat(<i32>0x85ebca6b))
  h = i32x4.mul(v128.xor(h, i32x4.shr_u(h, 13)), i32x4.splat(<i32>0xc2b2ae35))
  return v128.xor(h, i32x4.shr_u(h, 16))
}

export function scorePairs(
  count: usize,
  width: usize,
  rowCount: usize,
  itemCount: usize,
  rows: usize,
  items: usize,
  rowIndices: usize,
  itemIndices: usize,
  scores: usize,
  begin: usize,
  end: usize,
): void {
  end = endOf(end, count)
  for (let i = begin; i < end; i++) {
    const row = rows + <usize>load<u32>(rowIndices + i * 4) * width * 4
    const item = items + <usize>load<u32>(itemIndices + i * 4) * width * 4
    store<f32>(scores + i * 4, dot(row, item, width))
  }
}

/** The range is one of columns, because rows and items repeat. */
export function scorePairsBackward(
  count: usize,
  width: usize,
  rowCount: usize,
  itemCount: usize,
  rows: usize,
  items: usize,
  rowIndices: usize,
  itemIndices: usize,
  dScores: usize,
  dRows: usize,
  dItems: usize,
  begin: usize,
  end: usize,
): void {
  const columns = endOf(end, width) - begin
  for (let i: usize = 0; i < count; i++) {
    const row = (<usize>load<u32>(rowIndices + i * 4) * width + begin) * 4
    const item = (<usize>load<u32>(itemIndices + i * 4) * width + begin) * 4
    const slope = load<f32>(dScores + i * 4)
    addScaledRow(columns, slope, items + item, dRows + row)
    addScaledRow(columns, slope, rows + row, dItems + item)
  }
}
