// The element types of a safetensors file and the arrays that hold them here.
// Typed arrays take the host's byte order, the format is little-endian: so must the host be, as
// every one that runs WebAssembly at speed is.

/** An array that holds a tensor's elements without loss. */
export type TensorData = BigInt64Array | Float64Array | Float32Array | Int32Array

/** `count` values of a buffer whose first byte is aligned for them. */
type Decode = (buffer: ArrayBufferLike, first: number, count: number) => TensorData

/** Every type that is read: the bytes of one element, and how a tensor's bytes become values. */
export const elementTypes = {
  I64: { size: 8, decode: (...bytes) => new BigInt64Array(...bytes) },
  F64: { size: 8, decode: (...bytes) => new Float64Array(...bytes) },
  F32: { size: 4, decode: (...bytes) => new Float32Array(...bytes) },
  I32: { size: 4, decode: (...bytes) => new Int32Array(...bytes) },
  BF16: { size: 2, decode: (...bytes) => widenBrainFloats(new Uint16Array(...bytes)) },
  F16: { size: 2, decode: (...bytes) => new Float32Array(new Float16Array(...bytes)) },
} as const satisfies Record<string, { readonly size: number; readonly decode: Decode }>

export type ElementType = keyof typeof elementTypes

/** The type that each array is written as. */
export const typeOfArray = {
  BigInt64Array: 'I64',
  Float64Array: 'F64',
  Float32Array: 'F32',
  Int32Array: 'I32',
} as const satisfies Record<TensorData[typeof Symbol.toStringTag], ElementType>

/** How many elements a shape has; a scalar (`[]`) has one. NaN if it is no shape or too large. */
export function elementCount(shape: readonly unknown[]): number {
  let count = 1
  for (const dimension of shape) {
    if (!isSize(dimension)) return Number.NaN
    count *= dimension
  }
  return Number.isSafeInteger(count) ? count : Number.NaN
}

export function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** A bfloat16 is the upper half of the float32 of the same value. */
function widenBrainFloats(halves: Uint16Array): Float32Array {
  const words = new Uint32Array(halves.length)
  for (let i = 0; i < halves.length; i += 1) words[i] = halves[i]! << 16
  return new Float32Array(words.buffer)
}
