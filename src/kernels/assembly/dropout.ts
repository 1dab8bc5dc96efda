// Dropout masks from a counter-based hash, four elements at a time.

import { storeUpTo } from './vector'

const STRIDE: i32 = <i32>0x9e3779b9

/** `rate` and `seed` come in float64: rounded to float32 they would make another mask. */
export function dropoutMask(rows: usize, columns: usize, rate: f64, seed: f64, mask: usize): void {
  const count = rows * columns
  const scaled = f32x4.splat(<f32>(1 / (1 - rate)))
  const threshold = i32x4.splat(<i32>ceil(rate * 16777216))
  const start = mix4(i32x4.splat(<i32>(<i64>seed)))
  let state = i32x4.add(start, i32x4.mul(i32x4.splat(STRIDE), i32x4(1, 2, 3, 4)))
  for (let i: usize = 0; i < count; i += 4) {
    const isRetained = i32x4.ge_s(i32x4.shr_u(mix4(state), 8), threshold)
    storeUpTo(mask + i * 4, count - i, v128.and(isRetained, scaled))
    state = i32x4.add(state, i32x4.splat(4 * STRIDE))
  }
}

/** The finaliser of MurmurHash3 in each lane. */
function mix4(x: v128): v128 {
  let h = x
  h = i32x4.mul(v128.xor(h, i32x4.shr_u(h, 16)), i32x4.splat(<i32>0x85ebca6b))
  h = i32x4.mul(v128.xor(h, i32x4.shr_u(h, 13)), i32x4.splat(<i32>0xc2b2ae35))
  return v128.xor(h, i32x4.shr_u(h, 16))
}
