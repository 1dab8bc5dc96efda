// Named tensors and strings in one file, in the safetensors format:
//   u64 N │ N bytes of JSON, padded with spaces │ the tensors without gaps; all little-endian
// The JSON is {"__metadata__": {text: text}, name: {"dtype", "shape", "data_offsets"}, …}.

import { RenError, invalid, shapeMismatch } from '../../core/errors.ts'
import {
  elementCount,
  elementTypes,
  typeOfArray,
  lengthBytes,
  malformed,
  maximumHeaderBytes,
  metadataKey,
  quote,
  readHeader,
} from './safetensors-header.ts'
import type { ElementType, TensorData, StoredTensor } from './safetensors-header.ts'

/** A tensor to write; its elements are in row-major order. */
export interface TensorToWrite {
  readonly shape: readonly number[]
  readonly data: TensorData
}

/** The contents of a file. */
export interface FileContents {
  readonly tensors: ReadonlyMap<string, TensorToWrite>
  readonly metadata: Readonly<Record<string, string>>
}

/** A validated safetensors file. By default, each read returns a copy of the tensor. */
export interface TensorFile {
  /** The type, the shape and the place of each tensor, by name. */
  readonly tensors: ReadonlyMap<string, StoredTensor>
  /** The strings of the file's header, by name. */
  readonly metadata: Readonly<Record<string, string>>
  /** Returns the shape of a tensor. Like all reads, throws if it does not exist. */
  shape(name: string): readonly number[]
  /** Returns the elements without loss; half precision becomes float32. */
  values(name: string): TensorData
  /** Returns the elements of a floating-point tensor, rounded to float32. */
  floats(name: string): Float32Array
  /** Returns the elements of an integer tensor, which must fit 32 bits. */
  integers(name: string): Int32Array
}

/** Returns the bytes of a file. They do not depend on the order of the contents. */
export function writeSafetensors(contents: FileContents): Uint8Array<ArrayBuffer> {
  const [file] = writeSafetensorsInParts(contents, Infinity)
  return file!
}

/**
 * Yields the same bytes in parts of `partBytes`, so that a large file is never completely in
 * memory.
 */
export function* writeSafetensorsInParts(
  contents: FileContents,
  partBytes: number,
): Generator<Uint8Array<ArrayBuffer>> {
  const chunks = chunksOf(contents)
  let left = chunks.reduce((sum, { length }) => sum + length, 0)
  const nextPart = () => new Uint8Array(Math.min(left, partBytes))
  let [part, filled] = [nextPart(), 0]
  for (let bytes of chunks) {
    while (bytes.length > 0) {
      const fitting = bytes.subarray(0, part.length - filled)
      part.set(fitting, filled)
      filled += fitting.length
      left -= fitting.length
      bytes = bytes.subarray(fitting.length)
      if (filled < part.length) continue
      yield part
      ;[part, filled] = [nextPart(), 0]
    }
  }
}

/** Returns the consecutive chunks of a file. The tensors are views, not copies. */
function chunksOf({ tensors, metadata }: FileContents): Uint8Array[] {
  const ordered = inFileOrder(tensors)
  const header = new TextEncoder().encode(headerText(ordered, metadata))
  // The padding aligns the first tensor to 8 bytes; the order of the tensors aligns the others.
  const headerBytes = Math.ceil(header.length / 8) * 8
  if (headerBytes > maximumHeaderBytes) {
    throw refused(`the header must have at most ${maximumHeaderBytes} bytes, got ${headerBytes}`)
  }
  const length = new Uint8Array(lengthBytes)
  new DataView(length.buffer).setBigUint64(0, BigInt(headerBytes), true)
  const spaces = new Uint8Array(headerBytes - header.length).fill(0x20)
  const values = ordered.map(
    ({ data }) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
  )
  return [length, header, spaces, ...values]
}

export interface ReadOptions {
  /** Returns views of aligned tensors instead of copies. Defaults to false. */
  readonly inPlace?: boolean
}

/** Validates a safetensors file. The bytes must not change while you read tensors from it. */
export function readSafetensors(
  bytes: Uint8Array,
  { inPlace = false }: ReadOptions = {},
): TensorFile {
  const { tensors, metadata, payload } = readHeader(bytes)

  const values = (name: string): TensorData => {
    const { type, begin, end } = find(tensors, name)
    const { size, decode } = elementTypes[type]
    const view = payload.subarray(begin, end)
    const isView = inPlace && view.byteOffset % size === 0
    // The constructor copies into an aligned buffer.
    const { buffer, byteOffset, byteLength } = isView ? view : new Uint8Array(view)
    return decode(buffer, byteOffset, byteLength / size)
  }
  const refuse = (name: string, expected: string): RenError =>
    malformed(`tensor ${quote(name)} must have ${expected}, got ${find(tensors, name).type}`)

  return {
    tensors,
    metadata,
    shape: (name) => find(tensors, name).shape,
    values,
    floats(name) {
      const data = values(name)
      if (data instanceof Float32Array) return data
      if (data instanceof Float64Array) return new Float32Array(data)
      throw refuse(name, 'a floating-point type')
    },
    integers(name) {
      const data = values(name)
      if (data instanceof Int32Array) return data
      if (data instanceof BigInt64Array) return narrow(name, data)
      throw refuse(name, 'a type of integers')
    },
  }
}

interface TypedTensor extends TensorToWrite {
  readonly name: string
  readonly type: ElementType
}

/**
 * Sorts wide element types before narrow ones, so that all tensors are aligned, and then by name,
 * as in the reference implementation.
 */
function inFileOrder(tensors: FileContents['tensors']): TypedTensor[] {
  const rank = Object.keys(elementTypes)
  return Array.from(tensors, ([name, tensor]) => typed(name, tensor)).toSorted(
    (a, b) => rank.indexOf(a.type) - rank.indexOf(b.type) || (a.name < b.name ? -1 : 1),
  )
}

function typed(name: string, { shape, data }: TensorToWrite): TypedTensor {
  const type = typeOfArray[data[Symbol.toStringTag]]
  if (name === metadataKey) throw refused(`${metadataKey} cannot be the name of a tensor`)
  if (type === undefined) {
    const arrays = Object.keys(typeOfArray).join(', ')
    throw refused(`tensor ${quote(name)} must have data in one of ${arrays}`)
  }
  if (elementCount(shape) !== data.length) {
    throw shapeMismatch(
      `writeSafetensors: tensor ${quote(name)} of shape ${quote(shape)} has ${data.length} values`,
    )
  }
  return { name, type, shape, data }
}

// Builds the JSON text by hand, because JavaScript objects put integer keys like "10" first.
function headerText(tensors: readonly TypedTensor[], metadata: FileContents['metadata']): string {
  const texts = Object.keys(metadata)
    .toSorted()
    .map((key) => `${text(key)}:${text(metadata[key]!)}`)
  const members = texts.length > 0 ? [`"${metadataKey}":{${texts.join(',')}}`] : []
  let end = 0
  for (const { name, type, shape, data } of tensors) {
    const begin = end
    end += data.byteLength
    const entry = { dtype: type, shape, data_offsets: [begin, end] }
    members.push(`${text(name)}:${JSON.stringify(entry)}`)
  }
  return `{${members.join(',')}}`
}

/** Returns a JSON string. A lone surrogate has no UTF-8, so other readers would reject the file. */
function text(content: string): string {
  if (content.isWellFormed()) return JSON.stringify(content)
  throw refused(`text must be well-formed, got a lone surrogate in ${quote(content)}`)
}

function find(tensors: TensorFile['tensors'], name: string): StoredTensor {
  const tensor = tensors.get(name)
  if (tensor !== undefined) return tensor
  const names = [...tensors.keys()]
  const [some, more] = [names.slice(0, 8).map(quote).join(', '), names.length > 8 ? ', …' : '']
  throw malformed(`no tensor ${quote(name)}, there are ${names.length}: ${some}${more}`)
}

function narrow(name: string, data: BigInt64Array): Int32Array {
  const narrowed = new Int32Array(data.length)
  for (const [i, value] of data.entries()) {
    narrowed[i] = Number(value)
    if (BigInt(narrowed[i]) !== value) {
      throw malformed(`tensor ${quote(name)}: element ${i} must have at most 32 bits, got ${value}`)
    }
  }
  return narrowed
}

const refused = (message: string): RenError => invalid(`writeSafetensors: ${message}`)
