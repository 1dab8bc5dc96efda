// Vector helpers of the kernels.

/** a·b + c in each lane; fused if the build has relaxed SIMD. */
export function multiplyAdd(a: v128, b: v128, c: v128): v128 {
  return ASC_FEATURE_RELAXED_SIMD ? f32x4.relaxed_madd(a, b, c) : f32x4.add(f32x4.mul(a, b), c)
}

/** Loads four floats, or the remaining `count` floats followed by zeros. */
export function loadUpTo(address: usize, count: usize): v128 {
  return count >= 4 ? v128.load(address) : loadPart(address, count)
}

/** Stores four floats, or the first `count` of them. */
export function storeUpTo(address: usize, count: usize, value: v128): void {
  if (count >= 4) v128.store(address, value)
  else storePart(address, count, value)
}

/** Returns all four lanes, or the first `count` lanes followed by zeros. */
export function clearAbove(count: usize, value: v128): v128 {
  if (count >= 4) return value
  return v128.and(value, i32x4.gt_s(i32x4.splat(<i32>count), i32x4(0, 1, 2, 3)))
}

function loadPart(address: usize, count: usize): v128 {
  let value = v128.load32_zero(address)
  if (count > 1) value = v128.load32_lane(address, value, 1, 4)
  if (count > 2) value = v128.load32_lane(address, value, 2, 8)
  return value
}

function storePart(address: usize, count: usize, value: v128): void {
  v128.store32_lane(address, value, 0)
  if (count > 1) v128.store32_lane(address, value, 1, 4)
  if (count > 2) v128.store32_lane(address, value, 2, 8)
}

/** Returns 0, or NaN if x is not finite. Added to a result, it makes a hidden overflow visible. */
export function zeroOrNaN(x: f32): f32 {
  return x - x
}

/** Returns the sum of the four lanes, in pairs. */
export function sumLanes(v: v128): f32 {
  const pairs = f32x4.add(v, i64x2.shuffle(v, v, 1, 0))
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1)
}

/** Returns the largest of the four lanes. */
export function maxLanes(v: v128): f32 {
  const pairs = f32x4.pmax(v, i64x2.shuffle(v, v, 1, 0))
  return max(f32x4.extract_lane(pairs, 0), f32x4.extract_lane(pairs, 1))
}

/** Returns x·y over `count` floats, in four independent sums. */
export function dot(x: usize, y: usize, count: usize): f32 {
  let s0 = f32x4.splat(0)
  let s1 = f32x4.splat(0)
  let s2 = f32x4.splat(0)
  let s3 = f32x4.splat(0)
  let i: usize = 0
  for (; i + 16 <= count; i += 16) {
    s0 = multiplyAdd(v128.load(x + i * 4), v128.load(y + i * 4), s0)
    s1 = multiplyAdd(v128.load(x + i * 4, 16), v128.load(y + i * 4, 16), s1)
    s2 = multiplyAdd(v128.load(x + i * 4, 32), v128.load(y + i * 4, 32), s2)
    s3 = multiplyAdd(v128.load(x + i * 4, 48), v128.load(y + i * 4, 48), s3)
  }
  for (; i + 4 <= count; i += 4) {
    s0 = multiplyAdd(v128.load(x + i * 4), v128.load(y + i * 4), s0)
  }
  let sum = sumLanes(f32x4.add(f32x4.add(s0, s1), f32x4.add(s2, s3)))
  for (; i < count; i++) sum += load<f32>(x + i * 4) * load<f32>(y + i * 4)
  return sum
}

/** target[0..count) += scale·x. */
export function addScaledRow(count: usize, scale: f32, x: usize, target: usize): void {
  const factor = f32x4.splat(scale)
  let i: usize = 0
  for (; i + 4 <= count; i += 4) {
    const sum = multiplyAdd(factor, v128.load(x + i * 4), v128.load(target + i * 4))
    v128.store(target + i * 4, sum)
  }
  if (i == count) return
  const left = count - i
  const sum = multiplyAdd(factor, loadPart(x + i * 4, left), loadPart(target + i * 4, left))
  storePart(target + i * 4, left, sum)
}

/** target[0..count) = x. For short rows, this is faster than memory.copy. */
export function copyRow(count: usize, x: usize, target: usize): void {
  let i: usize = 0
  for (; i + 4 <= count; i += 4) v128.store(target + i * 4, v128.load(x + i * 4))
  if (i < count) storePart(target + i * 4, count - i, loadPart(x + i * 4, count - i))
}

/** out += the sum of rows at a distance of `stride` bytes. */
export function sumStridedRows(
  rows: usize,
  columns: usize,
  x: usize,
  stride: usize,
  out: usize,
): void {
  for (let j: usize = 0; j < columns; j += 4) {
    const left = columns - j
    let sum = f32x4.splat(0)
    for (let i: usize = 0; i < rows; i++)
      sum = f32x4.add(sum, loadUpTo(x + i * stride + j * 4, left))
    storeUpTo(out + j * 4, left, f32x4.add(loadUpTo(out + j * 4, left), sum))
  }
}

/** Rounds a number of columns up to a multiple of eight. */
export function padded(columns: usize): usize {
  return (columns + 7) & ~7
}
