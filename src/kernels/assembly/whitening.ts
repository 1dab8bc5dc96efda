// W = L⁻¹ for A = I + Σ hhᵀ in float64: the operations of kernels/whitening.ts in the same order,
// two lanes at a time. Nothing here may be fused or reordered: ties depend on every bit.

import { padded } from './vector'

const WHITENING_BLOCK: usize = 32
const MAX_TRACE: f64 = 65536

/** Bytes of scratch memory for {@link whitenRows}: A and a block of visits, with padded rows. */
export function whiteningScratch(d: usize): usize {
  const wide = padded(d)
  return 8 * wide * (wide + WHITENING_BLOCK)
}

/** W of a history of float32 rows; `x`, `y` and `before` have room for one float64 row each. */
export function whitenRows(
  d: usize,
  visits: usize,
  history: usize,
  w: usize,
  x: usize,
  y: usize,
  before: usize,
  scratch: usize,
): void {
  const whole = visits - (visits % WHITENING_BLOCK)
  if (whole > 0 && factor(d, whole, history, w, before, scratch)) {
    growByRows(d, visits - whole, history + whole * d * 4, w, x, y, before)
    return
  }
  memory.fill(w, 0, d * d * 8)
  for (let i: usize = 0; i < d; i++) store<f64>(w + (i * d + i) * 8, 1)
  growByRows(d, visits, history, w, x, y, before)
}

/** W = L⁻¹ from the sum A; false, and nothing done, if its trace is too large. */
function factor(d: usize, visits: usize, history: usize, w: usize, sums: usize, a: usize): bool {
  const wide = padded(d)
  const block = a + 8 * wide * wide
  memory.fill(a, 0, whiteningScratch(d))
  for (let i: usize = 0; i < d; i++) store<f64>(a + (i * wide + i) * 8, 1)
  for (let v: usize = 0; v < visits; v += WHITENING_BLOCK) {
    for (let r: usize = 0; r < WHITENING_BLOCK; r++) {
      widen(d, history + (v + r) * d * 4, block + r * wide * 8)
    }
    addBlock(d, wide * 8, a, block)
  }
  let trace: f64 = 0
  for (let i: usize = 0; i < d; i++) trace += load<f64>(a + (i * wide + i) * 8)
  if (!(trace <= MAX_TRACE)) return false
  cholesky(d, wide * 8, a)
  invertFactor(d, wide * 8, a, w, sums)
  return true
}

/** A += Σ hhᵀ over the rows of a block, eight columns at a time, up to the diagonal and beyond. */
function addBlock(d: usize, stride: usize, a: usize, block: usize): void {
  const end = block + WHITENING_BLOCK * stride
  for (let i: usize = 0; i < d; i++) {
    for (let j: usize = 0; j <= i; j += 8) {
      const at = a + i * stride + j * 8
      let s0 = v128.load(at)
      let s1 = v128.load(at, 16)
      let s2 = v128.load(at, 32)
      let s3 = v128.load(at, 48)
      for (let row = block; row < end; row += stride) {
        const hi = v128.load64_splat(row + i * 8)
        const h = row + j * 8
        s0 = addProduct(s0, hi, v128.load(h))
        s1 = addProduct(s1, hi, v128.load(h, 16))
        s2 = addProduct(s2, hi, v128.load(h, 32))
        s3 = addProduct(s3, hi, v128.load(h, 48))
      }
      v128.store(at, s0)
      v128.store(at, s1, 16)
      v128.store(at, s2, 32)
      v128.store(at, s3, 48)
    }
  }
}

/** The lower triangle of A becomes L, except that its diagonal holds 1/L_jj. */
function cholesky(d: usize, stride: usize, a: usize): void {
  for (let j: usize = 0; j < d; j++) {
    const row = a + j * stride
    const pivot = row + j * 8
    const inverse = 1 / sqrt<f64>(load<f64>(pivot) - dot64(row, row, j))
    store<f64>(pivot, inverse)
    let i = j + 1
    for (; i + 4 <= d; i += 4) columnOfFour(j, stride, a + i * stride, row, inverse)
    for (; i < d; i++) {
      const at = a + i * stride
      store<f64>(at + j * 8, (load<f64>(at + j * 8) - dot64(at, row, j)) * inverse)
    }
  }
}

/** Column j of L in four rows from `x`: four sums side by side, since each waits for its last term. */
function columnOfFour(j: usize, stride: usize, x: usize, row: usize, inverse: f64): void {
  const x1 = x + stride
  const x2 = x1 + stride
  const x3 = x2 + stride
  let s0 = f64x2.splat(0)
  let s1 = f64x2.splat(0)
  let s2 = f64x2.splat(0)
  let s3 = f64x2.splat(0)
  let k: usize = 0
  for (; k + 2 <= j; k += 2) {
    const pair = v128.load(row + k * 8)
    s0 = addProduct(s0, v128.load(x + k * 8), pair)
    s1 = addProduct(s1, v128.load(x1 + k * 8), pair)
    s2 = addProduct(s2, v128.load(x2 + k * 8), pair)
    s3 = addProduct(s3, v128.load(x3 + k * 8), pair)
  }
  if (k < j) {
    // The upper lane is 0 times a finite number, which leaves the sum as it is.
    const last = v128.load64_zero(row + k * 8)
    s0 = addProduct(s0, v128.load(x + k * 8), last)
    s1 = addProduct(s1, v128.load(x1 + k * 8), last)
    s2 = addProduct(s2, v128.load(x2 + k * 8), last)
    s3 = addProduct(s3, v128.load(x3 + k * 8), last)
  }
  const low = sumPairs(s0, s1)
  const high = sumPairs(s2, s3)
  const at = j * 8
  store<f64>(x + at, (load<f64>(x + at) - f64x2.extract_lane(low, 0)) * inverse)
  store<f64>(x1 + at, (load<f64>(x1 + at) - f64x2.extract_lane(low, 1)) * inverse)
  store<f64>(x2 + at, (load<f64>(x2 + at) - f64x2.extract_lane(high, 0)) * inverse)
  store<f64>(x3 + at, (load<f64>(x3 + at) - f64x2.extract_lane(high, 1)) * inverse)
}

/** W_i = −(Σ_{k<i} L_ik W_k) / L_ii before the diagonal, 1/L_ii on it, and 0 after it. */
function invertFactor(d: usize, stride: usize, l: usize, w: usize, sums: usize): void {
  memory.fill(w, 0, d * d * 8)
  for (let i: usize = 0; i < d; i++) {
    const row = l + i * stride
    const inverse = load<f64>(row + i * 8)
    const out = w + i * d * 8
    memory.fill(sums, 0, d * 8)
    let k: usize = 0
    for (; k + 4 <= i; k += 4) addFourRows(k + 4, d * 8, sums, row + k * 8, w + k * d * 8)
    for (; k < i; k++) {
      const entry = load<f64>(row + k * 8)
      for (let j: usize = 0; j <= k; j++) {
        const sum = sums + j * 8
        store<f64>(sum, load<f64>(sum) + entry * load<f64>(w + (k * d + j) * 8))
      }
    }
    for (let j: usize = 0; j < i; j++) store<f64>(out + j * 8, -inverse * load<f64>(sums + j * 8))
    store<f64>(out + i * 8, inverse)
  }
}

/** sums += Σ_r L_r W_r over four rows of W, `count` columns; W is 0 after its diagonal. */
function addFourRows(count: usize, stride: usize, sums: usize, l: usize, w: usize): void {
  const l0 = v128.load64_splat(l)
  const l1 = v128.load64_splat(l, 8)
  const l2 = v128.load64_splat(l, 16)
  const l3 = v128.load64_splat(l, 24)
  for (let j: usize = 0; j < count * 8; j += 16) {
    const at = w + j
    let sum = addProduct(v128.load(sums + j), l0, v128.load(at))
    sum = addProduct(sum, l1, v128.load(at + stride))
    sum = addProduct(sum, l2, v128.load(at + 2 * stride))
    sum = addProduct(sum, l3, v128.load(at + 3 * stride))
    v128.store(sums + j, sum)
  }
}

/** Two partial sums, of even and of odd terms, then their sum. */
export function dot64(x: usize, y: usize, count: usize): f64 {
  let sum = f64x2.splat(0)
  let j: usize = 0
  for (; j + 2 <= count; j += 2) sum = addProduct(sum, v128.load(x + j * 8), v128.load(y + j * 8))
  let even = f64x2.extract_lane(sum, 0)
  if (j < count) even += load<f64>(x + j * 8) * load<f64>(y + j * 8)
  return even + f64x2.extract_lane(sum, 1)
}

function addProduct(sum: v128, x: v128, y: v128): v128 {
  return f64x2.add(sum, f64x2.mul(x, y))
}

/** Of each of two pairs of partial sums, their sum. */
function sumPairs(one: v128, other: v128): v128 {
  return f64x2.add(i64x2.shuffle(one, other, 0, 2), i64x2.shuffle(one, other, 1, 3))
}

/** Float32 values as float64. */
export function widen(count: usize, x: usize, target: usize): void {
  let j: usize = 0
  for (; j + 2 <= count; j += 2) {
    v128.store(target + j * 8, f64x2.promote_low_f32x4(v128.load64_zero(x + j * 4)))
  }
  for (; j < count; j++) store<f64>(target + j * 8, <f64>load<f32>(x + j * 4))
}

/** Adds float32 rows to W, one by one; `x`, `y` and `before` have room for one float64 row each. */
export function growByRows(
  d: usize,
  visits: usize,
  history: usize,
  w: usize,
  x: usize,
  y: usize,
  before: usize,
): void {
  for (let v: usize = 0; v < visits; v++) {
    // Every step of it would leave W as it is, to the bit.
    if (isZero(d, history + v * d * 4)) continue
    widen(d, history + v * d * 4, x)
    whiten(d, w, x, y)
    growWhitening(d, w, y, before)
  }
}

function isZero(count: usize, x: usize): bool {
  let bits: u32 = 0
  for (let j: usize = 0; j < count; j++) bits |= load<u32>(x + j * 4)
  return bits == 0
}

/** y = W x for a float64 x; four rows at a time, since each sum waits for its last term. */
export function whiten(d: usize, w: usize, x: usize, y: usize): void {
  let i: usize = 0
  for (; i + 4 <= d; i += 4) whitenFour(d * 8, i * 8, w + i * d * 8, x, y + i * 8)
  for (; i < d; i++) store<f64>(y + i * 8, dot64(w + i * d * 8, x, i + 1))
}

/** From `w` on, rows that are `before` bytes long up to the first one's diagonal. */
function whitenFour(stride: usize, before: usize, w: usize, x: usize, y: usize): void {
  const w1 = w + stride
  const w2 = w1 + stride
  const w3 = w2 + stride
  let s0 = f64x2.splat(0)
  let s1 = f64x2.splat(0)
  let s2 = f64x2.splat(0)
  let s3 = f64x2.splat(0)
  for (let j: usize = 0; j < before; j += 16) {
    const both = v128.load(x + j)
    s0 = addProduct(s0, v128.load(w + j), both)
    s1 = addProduct(s1, v128.load(w1 + j), both)
    s2 = addProduct(s2, v128.load(w2 + j), both)
    s3 = addProduct(s3, v128.load(w3 + j), both)
  }
  const first = v128.load(x + before)
  const second = v128.load(x + before, 16)
  s0 = addProduct(s0, v128.load64_zero(w + before), first)
  s1 = addProduct(s1, v128.load(w1 + before), first)
  s2 = addProduct(s2, v128.load(w2 + before), first)
  s3 = addProduct(s3, v128.load(w3 + before), first)
  s2 = addProduct(s2, v128.load64_zero(w2 + before, 16), second)
  s3 = addProduct(s3, v128.load(w3 + before, 16), second)
  v128.store(y, sumPairs(s0, s1))
  v128.store(y, sumPairs(s2, s3), 16)
}

/** W for A + xxᵀ, given y = Wx; `before` is room for one row. */
export function growWhitening(d: usize, w: usize, y: usize, before: usize): void {
  memory.fill(before, 0, d * 8)
  let t: f64 = 1
  for (let i: usize = 0; i < d; i++) {
    const yi = load<f64>(y + i * 8)
    const next = t + yi * yi
    growRow(i + 1, w + i * d * 8, before, yi, sqrt<f64>(t / next), yi / t)
    t = next
  }
}

function growRow(count: usize, row: usize, before: usize, yi: f64, scale: f64, factor: f64): void {
  let j: usize = 0
  for (; j + 2 <= count; j += 2) {
    const old = v128.load(row + j * 8)
    const sum = v128.load(before + j * 8)
    const rest = f64x2.sub(old, f64x2.mul(f64x2.splat(factor), sum))
    v128.store(row + j * 8, f64x2.mul(f64x2.splat(scale), rest))
    v128.store(before + j * 8, f64x2.add(sum, f64x2.mul(f64x2.splat(yi), old)))
  }
  if (j == count) return
  const old = load<f64>(row + j * 8)
  const sum = load<f64>(before + j * 8)
  store<f64>(row + j * 8, scale * (old - factor * sum))
  store<f64>(before + j * 8, sum + yi * old)
}
