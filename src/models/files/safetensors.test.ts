import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { TensorData } from './safetensors-header.ts'
import { readSafetensors, writeSafetensors, writeSafetensorsInParts } from './safetensors.ts'
import type { FileContents, TensorToWrite } from './safetensors.ts'

const error = (code: string, message: string | RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) })

const write = (
  tensors: Record<string, TensorToWrite>,
  metadata: FileContents['metadata'] = {},
): Uint8Array => writeSafetensors({ tensors: new Map(Object.entries(tensors)), metadata })

/** A file from the text of a header and its data. */
const assemble = (header: string, data: readonly number[]): Uint8Array => {
  const text = [...new TextEncoder().encode(header)]
  return Uint8Array.of(text.length, 0, 0, 0, 0, 0, 0, 0, ...text, ...data)
}

/** A file with one tensor `x` of one dimension. */
const single = (dtype: string, length: number, data: readonly number[]): Uint8Array =>
  assemble(`{"x":{"dtype":"${dtype}","shape":[${length}],"data_offsets":[0,${data.length}]}}`, data)

const scalar = (value: number): TensorToWrite => ({ shape: [], data: Float32Array.of(value) })

const bytesOf = ({ buffer, byteOffset, byteLength }: TensorData): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

const text = fc.string({ unit: 'grapheme', maxLength: 8 })

const tensor: fc.Arbitrary<TensorToWrite> = fc
  .array(fc.nat({ max: 4 }), { maxLength: 3 })
  .chain((shape) => {
    const length = shape.reduce((count, dimension) => count * dimension, 1)
    const exactly = { minLength: length, maxLength: length }
    const data: fc.Arbitrary<TensorData> = fc.oneof(
      fc.float32Array(exactly),
      fc.float64Array(exactly),
      fc.int32Array(exactly),
      fc.bigInt64Array(exactly),
    )
    return data.map((values) => ({ shape, data: values }))
  })

const contents: fc.Arbitrary<FileContents> = fc.record({
  tensors: fc
    .uniqueArray(fc.tuple(text, tensor), { selector: ([name]) => name, maxLength: 6 })
    .map((entries) => new Map(entries)),
  metadata: fc.dictionary(text, text),
})

describe('a safetensors file', () => {
  it('has exactly the bytes of the format', () => {
    const header =
      '{"__metadata__":{"a":"é","b":"done"},' +
      '"n":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},' +
      '"10":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]},' +
      '"9":{"dtype":"F32","shape":[],"data_offsets":[16,20]},' +
      '"a":{"dtype":"I32","shape":[0,3],"data_offsets":[20,20]}}'
    const utf8 = [...new TextEncoder().encode(header)]
    expect(utf8).toHaveLength(259)
    const parts = [
      [0x08, 0x01, 0, 0, 0, 0, 0, 0], // 264
      utf8,
      [0x20, 0x20, 0x20, 0x20, 0x20],
      [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], // −2
      [0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0], // 1, −2
      [0, 0, 0xc0, 0x7f], // NaN
    ]
    const file = write(
      {
        a: { shape: [0, 3], data: new Int32Array(0) },
        9: scalar(Number.NaN),
        10: { shape: [1, 2], data: Float32Array.of(1, -2) },
        n: { shape: [1], data: BigInt64Array.of(-2n) },
      },
      { b: 'done', a: 'é' },
    )
    expect([...file]).toEqual(parts.flat())
  })

  it('without contents has an empty, padded header', () => {
    expect([...write({})]).toEqual([8, 0, 0, 0, 0, 0, 0, 0, ...Buffer.from('{}      ')])
    expect(readSafetensors(assemble('{}', []))).toMatchObject({ tensors: new Map(), metadata: {} })
  })

  it('returns every written tensor and text', () => {
    fc.assert(
      fc.property(contents, (written) => {
        const file = readSafetensors(writeSafetensors(written))
        expect(new Map(Object.entries(file.metadata))).toEqual(
          new Map(Object.entries(written.metadata)),
        )
        expect([...file.tensors.keys()].toSorted()).toEqual([...written.tensors.keys()].toSorted())
        for (const [name, { shape, data }] of written.tensors) {
          expect(file.shape(name)).toEqual(shape)
          expect(file.values(name).constructor).toBe(data.constructor)
          expect(bytesOf(file.values(name))).toEqual(bytesOf(data))
        }
      }),
    )
  })

  it('accepts names that are special in JavaScript', () => {
    const special = ['__proto__', 'constructor', '2', '1']
    const tensors = new Map(special.map((name, i) => [name, scalar(i)]))
    const metadata = Object.fromEntries(special.map((name) => [name, name]))
    const file = readSafetensors(writeSafetensors({ tensors, metadata }))
    for (const [i, name] of special.entries()) expect([...file.floats(name)]).toEqual([i])
    expect(Object.keys(file.metadata).toSorted()).toEqual(special.toSorted())
  })

  it('does not depend on the order of its contents', () => {
    fc.assert(
      fc.property(contents, ({ tensors, metadata }) => {
        const backwards = {
          tensors: new Map([...tensors].toReversed()),
          metadata: Object.fromEntries(Object.entries(metadata).toReversed()),
        }
        expect(writeSafetensors(backwards)).toEqual(writeSafetensors({ tensors, metadata }))
      }),
    )
  })

  it('has the same bytes in parts of any length', () => {
    fc.assert(
      fc.property(contents, fc.integer({ min: 1, max: 300 }), (written, length) => {
        const parts = [...writeSafetensorsInParts(written, length)]
        expect(parts.flatMap((part) => [...part])).toEqual([...writeSafetensors(written)])
        expect(parts.slice(0, -1).every((part) => part.length === length)).toBe(true)
        expect(parts.at(-1)?.length).toBeGreaterThan(0)
      }),
    )
  })

  it('aligns every tensor to its element size', () => {
    fc.assert(
      fc.property(contents, (written) => {
        const bytes = writeSafetensors(written)
        const dataStart = 8 + bytes[0]! + 256 * bytes[1]!
        expect(dataStart % 8).toBe(0)
        const { tensors } = readSafetensors(bytes)
        for (const [name, { data }] of written.tensors) {
          expect(tensors.get(name)!.begin % data.BYTES_PER_ELEMENT).toBe(0)
        }
      }),
    )
  })

  it('is read from bytes at any offset, and returns copies', () => {
    const bytes = write({ x: { shape: [2], data: Float64Array.of(1, 2) } })
    const shifted = Buffer.alloc(bytes.length + 3).subarray(3)
    shifted.set(bytes)
    const values = readSafetensors(shifted).values('x')
    shifted.fill(0)
    expect(values).toEqual(Float64Array.of(1, 2))
  })
})

describe('a file that is read in place', () => {
  const bytes = write({ x: { shape: [2], data: Float64Array.of(1, 2) }, y: scalar(3) })

  it('returns views of its tensors', () => {
    const own = new Uint8Array(bytes)
    const file = readSafetensors(own, { inPlace: true })
    expect(file.values('x')).toEqual(Float64Array.of(1, 2))
    expect(file.values('y').buffer).toBe(own.buffer)
  })

  it('returns copies of tensors that are not aligned', () => {
    const shifted = new Uint8Array(bytes.length + 1)
    shifted.set(bytes, 1)
    const file = readSafetensors(shifted.subarray(1), { inPlace: true })
    expect(file.values('x')).toEqual(Float64Array.of(1, 2))
    expect(file.values('x').buffer).not.toBe(shifted.buffer)
  })
})

describe('the element types', () => {
  it('widen half precision to float32', () => {
    // 1, −2, 65504, 2⁻²⁴ (subnormal), −0, ∞, NaN, 1/3 rounded
    const words = [0x3c00, 0xc000, 0x7bff, 0x0001, 0x8000, 0x7c00, 0x7e00, 0x3555]
    const file = readSafetensors(single('F16', 8, littleEndian(words)))
    const third = 0.333251953125
    expect([...file.floats('x')]).toEqual([1, -2, 65504, 2 ** -24, -0, Infinity, Number.NaN, third])
  })

  it('widen bfloat16 to float32', () => {
    // 1, −2, π rounded, 2⁻¹³³ (subnormal), −0, −∞, NaN, the largest
    const words = [0x3f80, 0xc000, 0x4049, 0x0001, 0x8000, 0xff80, 0x7fc0, 0x7f7f]
    const file = readSafetensors(single('BF16', 8, littleEndian(words)))
    const [pi, most] = [3.140625, (2 - 2 ** -7) * 2 ** 127]
    const expected = [1, -2, pi, 2 ** -133, -0, -Infinity, Number.NaN, most]
    expect([...file.floats('x')]).toEqual(expected)
  })

  it('round float64 to float32', () => {
    const file = readSafetensors(write({ x: { shape: [2], data: Float64Array.of(0.1, 1e-60) } }))
    expect(file.floats('x')).toEqual(Float32Array.of(Math.fround(0.1), 0))
  })

  it('narrow int64 to int32 where every element fits', () => {
    const ends = [-(2n ** 31n), -1n, 0n, 2n ** 31n - 1n]
    const file = readSafetensors(write({ x: { shape: [4], data: BigInt64Array.from(ends) } }))
    expect(file.integers('x')).toEqual(Int32Array.from(ends, Number))
  })

  it.each([2n ** 31n, -(2n ** 31n) - 1n, 2n ** 32n, 2n ** 63n - 1n])(
    'refuse to truncate %s',
    (value) => {
      const file = readSafetensors(write({ x: { shape: [2], data: BigInt64Array.of(7n, value) } }))
      expect(() => file.integers('x')).toThrow(
        error('file-malformed', `tensor "x": element 1 must have at most 32 bits, got ${value}`),
      )
    },
  )

  it('are not interchangeable', () => {
    const file = readSafetensors(
      write({
        weights: scalar(1),
        ids: { shape: [], data: Int32Array.of(1) },
      }),
    )
    expect(() => file.floats('ids')).toThrow(
      error('file-malformed', 'tensor "ids" must have a floating-point type, got I32'),
    )
    expect(() => file.integers('weights')).toThrow(
      error('file-malformed', 'tensor "weights" must have a type of integers, got F32'),
    )
    expect(() => file.values('wieghts')).toThrow(
      error('file-malformed', 'no tensor "wieghts", there are 2: "weights", "ids"'),
    )
  })
})

describe('writing', () => {
  it.each([[[2]], [[1, 2]], [[-3]], [[1.5, 2]], [[2 ** 40, 2 ** 40]]])(
    'refuses three elements in the shape %j',
    (shape) => {
      expect(() => write({ x: { shape, data: new Float32Array(3) } })).toThrow(
        error('shape-mismatch', /tensor "x" of shape .* has 3 values/),
      )
    },
  )

  it('refuses the reserved name, lone surrogates and other arrays', () => {
    const bytes = { shape: [1], data: new Uint8Array(1) as unknown as Int32Array }
    expect(() => write({ __metadata__: scalar(1) })).toThrow(
      error('invalid-argument', '__metadata__ cannot be the name of a tensor'),
    )
    expect(() => write({ '\ud800': scalar(1) })).toThrow(error('invalid-argument', 'surrogate'))
    expect(() => write({}, { key: '\udc00' })).toThrow(error('invalid-argument', 'surrogate'))
    expect(() => write({ x: bytes })).toThrow(error('invalid-argument', /"x".*Float32Array/))
  })
})

function littleEndian(words: readonly number[]): number[] {
  return words.flatMap((word) => [word & 0xff, word >> 8])
}
