// W = L⁻¹ for A = I + Σ hhᵀ in float64: the operations of kernels/whitening.ts in the same order,
// two lanes at a time. Nothing here may be fused or reordered: ties depend on every bit.

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

/** W = I (d × d). */
export function resetWhitening(d: usize, w: usize): void {
  memory.fill(w, 0, d * d * 8)
  for (let i: usize = 0; i < d; i++) store<f64>(w + (i * d + i) * 8, 1)
}

/** W grown by the history's float32 rows; x, y and `before` are room for a row. */
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
