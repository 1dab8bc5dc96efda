// Reads the header of a safetensors file and validates it against the size of the file.

import { RenError } from '../../core/errors.ts'

// The element types of a safetensors file and their typed arrays. Typed arrays use the byte order of
// the host and the format is little-endian, so the host must be little-endian, like all hosts with
// fast WebAssembly.

/** An array that holds a tensor's elements without loss. */
export type TensorData = BigInt64Array | Float64Array | Float32Array | Int32Array

/** Reads `count` values from the aligned offset `first`. */
type Decode = (buffer: ArrayBufferLike, first: number, count: number) => TensorData

/** The supported types: the size of an element in bytes, and the decoder. */
export const elementTypes = {
  I64: { size: 8, decode: (...bytes) => new BigInt64Array(...bytes) },
  F64: { size: 8, decode: (...bytes) => new Float64Array(...bytes) },
  F32: { size: 4, decode: (...bytes) => new Float32Array(...bytes) },
  I32: { size: 4, decode: (...bytes) => new Int32Array(...bytes) },
  BF16: { size: 2, decode: (...bytes) => widenBrainFloats(new Uint16Array(...bytes)) },
  F16: { size: 2, decode: (...bytes) => new Float32Array(new Float16Array(...bytes)) },
} as const satisfies Record<string, { readonly size: number; readonly decode: Decode }>

export type ElementType = keyof typeof elementTypes

/** The element type of each typed array. */
export const typeOfArray = {
  BigInt64Array: 'I64',
  Float64Array: 'F64',
  Float32Array: 'F32',
  Int32Array: 'I32',
} as const satisfies Record<TensorData[typeof Symbol.toStringTag], ElementType>

/**
 * Returns the number of elements of a shape; a scalar (`[]`) has one. NaN if it is invalid or too
 * large.
 */
export function elementCount(shape: readonly unknown[]): number {
  let count = 1
  for (const dimension of shape) {
    if (!isSize(dimension)) return Number.NaN
    count *= dimension
  }
  return Number.isSafeInteger(count) ? count : Number.NaN
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** A bfloat16 is the upper half of a float32. */
function widenBrainFloats(halves: Uint16Array): Float32Array {
  const words = new Uint32Array(halves.length)
  for (let i = 0; i < halves.length; i += 1) words[i] = halves[i]! << 16
  return new Float32Array(words.buffer)
}

/** The size of the header length, the first field of a file. */
export const lengthBytes = 8
/** The limit of the format. */
export const maximumHeaderBytes = 100_000_000
/** The key of the header that is not a tensor. */
export const metadataKey = '__metadata__'

/** One tensor as the header describes it. */
export interface StoredTensor {
  readonly type: ElementType
  readonly shape: readonly number[]
  /** Its bytes in the payload: from `begin` to before `end`. */
  readonly begin: number
  readonly end: number
}

interface Header {
  /** In the order of their data. */
  readonly tensors: ReadonlyMap<string, StoredTensor>
  readonly metadata: Readonly<Record<string, string>>
  /** A view of the data after the header. */
  readonly payload: Uint8Array
}

/** Reads and checks the header of a whole file. */
export function readHeader(file: Uint8Array): Header {
  const length = headerLength(file)
  const payload = file.subarray(lengthBytes + length)
  const parsed = parseObject(file.subarray(lengthBytes, lengthBytes + length))
  const { [metadataKey]: metadata = {}, ...entries } = parsed
  requireTexts(metadata)
  const tensors = Object.entries(entries)
    .map(([name, entry]) => [name, storedTensor(name, entry)] as const)
    .toSorted(([, a], [, b]) => a.begin - b.begin || a.end - b.end)
  requireGapless(tensors, payload.length)
  return { tensors: new Map(tensors), metadata, payload }
}

/** The error for a file that cannot be used. */
export function malformed(message: string, options?: ErrorOptions): RenError {
  return new RenError('file-malformed', `safetensors: ${message}`, options)
}

/** Formats a value as JSON, truncated for messages. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function headerLength(file: Uint8Array): number {
  if (file.length < lengthBytes) {
    throw malformed(
      `it must have ${lengthBytes} bytes of header length, got a file of ${file.length}`,
    )
  }
  const length = new DataView(file.buffer, file.byteOffset).getBigUint64(0, true)
  const most = Math.min(file.length - lengthBytes, maximumHeaderBytes)
  if (length > most) {
    throw malformed(`the header must have at most ${most} bytes, its length is given as ${length}`)
  }
  return Number(length)
}

function parseObject(header: Uint8Array): Readonly<Record<string, unknown>> {
  let text: string
  let value: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(header)
    value = JSON.parse(text)
  } catch (cause) {
    throw malformed('the header is not JSON in UTF-8', { cause })
  }
  if (!isRecord(value) || !text.startsWith('{')) {
    throw malformed(`the header must be one JSON object, got ${quote(text)}`)
  }
  const repeated = repeatedKey(text)
  if (repeated !== undefined) throw malformed(`the header has the key ${quote(repeated)} twice`)
  return value
}

function requireTexts(metadata: unknown): asserts metadata is Record<string, string> {
  if (!isRecord(metadata)) {
    throw malformed(`${metadataKey} must be an object, got ${quote(metadata)}`)
  }
  for (const [key, value] of Object.entries(metadata)) {
    if (typeof value !== 'string') {
      throw malformed(`${metadataKey} ${quote(key)} must be a text, got ${quote(value)}`)
    }
  }
}

function storedTensor(name: string, entry: unknown): StoredTensor {
  const wrong = (message: string) => malformed(`tensor ${quote(name)}: ${message}`)
  if (!isRecord(entry)) throw wrong(`the entry must be an object, got ${quote(entry)}`)
  const { dtype: type, shape, data_offsets: offsets } = entry
  if (!isElementType(type)) {
    throw wrong(`dtype must be one of ${Object.keys(elementTypes).join(', ')}, got ${quote(type)}`)
  }
  if (!isSizes(shape)) {
    throw wrong(`shape must be integers from 0, got ${quote(shape)}`)
  }
  if (!isSizes(offsets) || offsets.length !== 2) {
    throw wrong(`data_offsets must be two integers from 0, got ${quote(offsets)}`)
  }
  const [begin, end] = offsets as [number, number]
  const bytes = elementCount(shape) * elementTypes[type].size
  if (!Number.isSafeInteger(bytes)) throw wrong(`shape ${quote(shape)} is too large`)
  if (end - begin !== bytes) {
    const needs = `shape ${quote(shape)} of ${type} needs ${bytes} bytes`
    throw wrong(`${needs}, data_offsets ${quote(offsets)} hold ${end - begin}`)
  }
  return { type, shape, begin, end }
}

/** The format requires the tensors to cover each byte of the payload exactly once. */
function requireGapless(
  tensors: readonly (readonly [string, StoredTensor])[],
  payloadBytes: number,
): void {
  let covered = 0
  for (const [name, { begin, end }] of tensors) {
    const where = `tensor ${quote(name)} at data_offsets [${begin},${end}]`
    if (end > payloadBytes) throw malformed(`${where} ends after the ${payloadBytes} bytes of data`)
    if (begin < covered) throw malformed(`${where} overlaps data that ends at byte ${covered}`)
    if (begin > covered) throw malformed(`${where} leaves a hole after byte ${covered}`)
    covered = end
  }
  if (covered < payloadBytes) {
    throw malformed(`the tensors end at byte ${covered} of ${payloadBytes} bytes of data`)
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every(isSize)
}

function isElementType(value: unknown): value is ElementType {
  return typeof value === 'string' && Object.hasOwn(elementTypes, value)
}

/**
 * Finds the first duplicate key in an object of a valid JSON text. JSON.parse accepts duplicates.
 */
function repeatedKey(json: string): string | undefined {
  const keysAtDepth: Set<string>[] = []
  let depth = -1
  let stringStart = -1 // −1 outside a string
  let lastString = ''
  // Backslashes occur only in strings; the match includes the escaped character.
  for (const { 0: token, index } of json.matchAll(/\\.|["{}:]/g)) {
    if (token === '"') {
      if (stringStart >= 0) lastString = json.slice(stringStart, index + 1)
      stringStart = stringStart >= 0 ? -1 : index
    } else if (stringStart >= 0) {
      continue
    } else if (token === '{') {
      depth += 1
      keysAtDepth[depth] = new Set()
    } else if (token === '}') {
      depth -= 1
    } else {
      const key = JSON.parse(lastString) as string
      const keys = keysAtDepth[depth]!
      if (keys.has(key)) return key
      keys.add(key)
    }
  }
  return undefined
}
