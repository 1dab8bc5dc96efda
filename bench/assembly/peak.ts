// The peak performance of the machine, for the benchmarks.

import { multiplyAdd } from '../../src/kernels/assembly/vector'

/**
 * Runs only multiply-adds in registers, 12·8 flops per iteration: the 128-bit peak of the machine.
 */
export function peak(iterations: i32, left: f32, right: f32): f32 {
  let c0 = f32x4.splat(0),
    c1 = f32x4.splat(1),
    c2 = f32x4.splat(2),
    c3 = f32x4.splat(3)
  let c4 = f32x4.splat(4),
    c5 = f32x4.splat(5),
    c6 = f32x4.splat(6),
    c7 = f32x4.splat(7)
  let c8 = f32x4.splat(8),
    c9 = f32x4.splat(9),
    c10 = f32x4.splat(10),
    c11 = f32x4.splat(11)
  const x = f32x4.splat(left),
    y = f32x4.splat(right)
  for (let i = 0; i < iterations; i++) {
    c0 = multiplyAdd(x, y, c0)
    c1 = multiplyAdd(x, y, c1)
    c2 = multiplyAdd(x, y, c2)
    c3 = multiplyAdd(x, y, c3)
    c4 = multiplyAdd(x, y, c4)
    c5 = multiplyAdd(x, y, c5)
    c6 = multiplyAdd(x, y, c6)
    c7 = multiplyAdd(x, y, c7)
    c8 = multiplyAdd(x, y, c8)
    c9 = multiplyAdd(x, y, c9)
    c10 = multiplyAdd(x, y, c10)
    c11 = multiplyAdd(x, y, c11)
  }
  const s = f32x4.add(
    f32x4.add(f32x4.add(c0, c1), f32x4.add(c2, c3)),
    f32x4.add(f32x4.add(c4, c5), f32x4.add(c6, c7)),
  )
  const t = f32x4.add(s, f32x4.add(f32x4.add(c8, c9), f32x4.add(c10, c11)))
  return f32x4.extract_lane(t, 0)
}
