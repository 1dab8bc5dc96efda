// Dense optimizer steps.

import { loadUpTo, multiplyAdd, storeUpTo } from './vector'

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
): void {
  const count = rows * columns
  const step = f32x4.splat(rate / correction1)
  const root: f32 = 1 / sqrt<f32>(correction2)
  for (let i: usize = 0; i < count; i += 4) {
    const left = count - i
    const g = loadUpTo(gradient + i * 4, left)
    const m = multiplyAdd(
      f32x4.splat(beta1),
      loadUpTo(firstMoment + i * 4, left),
      f32x4.mul(f32x4.splat(1 - beta1), g),
    )
    const v = multiplyAdd(
      f32x4.splat(beta2),
      loadUpTo(secondMoment + i * 4, left),
      f32x4.mul(f32x4.splat(1 - beta2), f32x4.mul(g, g)),
    )
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
): void {
  const count = rows * columns
  for (let i: usize = 0; i < count; i += 4) {
    const left = count - i
    const g = loadUpTo(gradient + i * 4, left)
    const s = multiplyAdd(g, g, loadUpTo(accumulator + i * 4, left))
    const step = f32x4.div(
      f32x4.mul(f32x4.splat(rate), g),
      f32x4.sqrt(f32x4.add(s, f32x4.splat(epsilon))),
    )
    const scaled = f32x4.mul(f32x4.splat(momentum), loadUpTo(velocity + i * 4, left))
    const v = f32x4.sub(scaled, step)
    storeUpTo(accumulator + i * 4, left, s)
    storeUpTo(velocity + i * 4, left, v)
    storeUpTo(parameters + i * 4, left, f32x4.add(loadUpTo(parameters + i * 4, left), v))
  }
}
