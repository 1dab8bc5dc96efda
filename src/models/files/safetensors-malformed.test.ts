// Malformed safetensors files: each error has its own message, and no input causes anything but an
// error.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { RenError } from '../../core/errors.ts'
import { elementTypes } from './safetensors-header.ts'
import { readSafetensors, writeSafetensors } from './safetensors.ts'

const malformed = (message: string) =>
  expect.objectContaining({
    code: 'file-malformed',
    message: expect.stringContaining(`safetensors: ${message}`),
  })

function assemble(header: string | Uint8Array, dataBytes = 0, length?: bigint): Uint8Array {
  const text = Buffer.from(header)
  const file = new Uint8Array(8 + text.length + dataBytes)
  new DataView(file.buffer).setBigUint64(0, length ?? BigInt(text.length), true)
  file.set(text, 8)
  return file
}

const entry = (begin: number, end: number, shape = [(end - begin) / 4], dtype = 'F32') =>
  JSON.stringify({ dtype, shape, data_offsets: [begin, end] })

describe('reading refuses', () => {
  it.each([
    ['an empty file', new Uint8Array(0), 'it must have 8 bytes of header length, got a file of 0'],
    ['half a length', new Uint8Array(7), 'it must have 8 bytes of header length, got a file of 7'],
    [
      'a header longer than the file',
      assemble('{}', 0, 3n),
      'the header must have at most 2 bytes, its length is given as 3',
    ],
    [
      'a length of 2⁶⁴ − 1',
      assemble('{}', 0, 2n ** 64n - 1n),
      'the header must have at most 2 bytes, its length is given as 18446744073709551615',
    ],
    ['an empty header', assemble(''), 'the header is not JSON in UTF-8'],
    ['a cut header', assemble('{"x":'), 'the header is not JSON in UTF-8'],
    ['bytes that are no UTF-8', assemble(Uint8Array.of(0xff)), 'the header is not JSON in UTF-8'],
    ['a byte order mark', assemble('\uFEFF{}'), 'the header is not JSON in UTF-8'],
    ['a list', assemble('[1]'), 'the header must be one JSON object, got "[1]"'],
    ['null', assemble('null'), 'the header must be one JSON object, got "null"'],
    ['leading space', assemble(' {}'), 'the header must be one JSON object, got " {}"'],
  ])('%s', (_, file, message) => {
    expect(() => readSafetensors(file)).toThrow(malformed(message))
  })

  it.each([
    ['1', 'the entry must be an object, got 1'],
    ['[]', 'the entry must be an object, got []'],
    ['{}', 'dtype must be one of I64, F64, F32, I32, BF16, F16, got nothing'],
    ['{"dtype":"U8"}', 'dtype must be one of I64, F64, F32, I32, BF16, F16, got "U8"'],
    ['{"dtype":"toString"}', 'dtype must be one of I64, F64, F32, I32, BF16, F16, got "toString"'],
    ['{"dtype":"F32"}', 'shape must be integers from 0, got nothing'],
    ['{"dtype":"F32","shape":[-1]}', 'shape must be integers from 0, got [-1]'],
    ['{"dtype":"F32","shape":[1.5]}', 'shape must be integers from 0, got [1.5]'],
    ['{"dtype":"F32","shape":["1"]}', 'shape must be integers from 0, got ["1"]'],
    ['{"dtype":"F32","shape":[1e16]}', 'shape must be integers from 0, got [10000000000000000]'],
    ['{"dtype":"F32","shape":[1]}', 'data_offsets must be two integers from 0, got nothing'],
    [
      '{"dtype":"F32","shape":[1],"data_offsets":[0]}',
      'data_offsets must be two integers from 0, got [0]',
    ],
    [
      '{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}',
      'data_offsets must be two integers from 0, got [-4,0]',
    ],
    [entry(0, 4, [2]), 'shape [2] of F32 needs 8 bytes, data_offsets [0,4] hold 4'],
    [entry(4, 0, [1]), 'shape [1] of F32 needs 4 bytes, data_offsets [4,0] hold -4'],
    [entry(0, 4, [1], 'F64'), 'shape [1] of F64 needs 8 bytes, data_offsets [0,4] hold 4'],
    [entry(0, 4, [2 ** 27, 2 ** 27]), 'shape [134217728,134217728] is too large'],
    [entry(0, 4, [2 ** 52]), 'shape [4503599627370496] is too large'],
  ])('the tensor %s', (tensor, message) => {
    const file = assemble(`{"x":${tensor}}`, 4)
    expect(() => readSafetensors(file)).toThrow(malformed(`tensor "x": ${message}`))
  })

  it.each([
    [`{"x":${entry(0, 12)}}`, 'tensor "x" at data_offsets [0,12] ends after the 8 bytes of data'],
    [`{"x":${entry(0, 4)}}`, 'the tensors end at byte 4 of 8 bytes of data'],
    ['{}', 'the tensors end at byte 0 of 8 bytes of data'],
    [`{"x":${entry(4, 8)}}`, 'tensor "x" at data_offsets [4,8] leaves a hole after byte 0'],
    [
      `{"y":${entry(4, 8)},"x":${entry(0, 8)}}`,
      'tensor "y" at data_offsets [4,8] overlaps data that ends at byte 8',
    ],
    [
      `{"x":${entry(0, 8)},"y":${entry(0, 8)}}`,
      'tensor "y" at data_offsets [0,8] overlaps data that ends at byte 8',
    ],
    [`{"x":${entry(0, 8)},"x":${entry(0, 8)}}`, 'the header has the key "x" twice'],
    [`{"x":${entry(0, 8)},"\\u0078":${entry(0, 8)}}`, 'the header has the key "x" twice'],
    ['{"__metadata__":[]}', '__metadata__ must be an object, got []'],
    ['{"__metadata__":{"a":1}}', '__metadata__ "a" must be a text, got 1'],
    ['{"__metadata__":{"a":"1","a":"2"}}', 'the header has the key "a" twice'],
  ])('over 8 bytes of data, the header %s', (header, message) => {
    expect(() => readSafetensors(assemble(header, 8))).toThrow(malformed(message))
  })

  it('a header over the limit of the format', () => {
    expect(() => readSafetensors(assemble('', 100_000_001, 100_000_001n))).toThrow(
      malformed('the header must have at most 100000000 bytes, its length is given as 100000001'),
    )
  })

  it('long names with a truncated message', () => {
    const name = 'x'.repeat(100_000)
    expect(() => readSafetensors(assemble(`{"${name}":1}`))).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^.{1,150}$/) }),
    )
  })
})

describe('reading accepts', () => {
  it('equal keys in different objects, and braces, colons and quotes inside texts', () => {
    const file = assemble(
      `{"__metadata__":{"a":"{\\"a\\":1,\\"a\\":2}","x":"\\\\"},` +
        `"a":${entry(0, 4)},"x":${entry(4, 8)}}`,
      8,
    )
    expect(readSafetensors(file).metadata).toEqual({ a: '{"a":1,"a":2}', x: '\\' })
  })

  it('tensors in any order, with empty ones anywhere between', () => {
    const file = assemble(
      `{"c":${entry(4, 8)},"b":${entry(4, 4)},"d":${entry(8, 8)},"a":${entry(0, 4)}}`,
      8,
    )
    expect([...readSafetensors(file).tensors.keys()]).toEqual(['a', 'b', 'c', 'd'])
  })

  it('a text of several megabytes, every second character escaped', () => {
    const catalog = '"\\'.repeat(1 << 20)
    const file = writeSafetensors({ tensors: new Map(), metadata: { catalog } })
    expect(readSafetensors(file).metadata['catalog'] === catalog).toBe(true)
  })
})

describe('for arbitrary bytes,', () => {
  const valid = writeSafetensors({
    tensors: new Map([
      ['μ', { shape: [2, 3], data: Float32Array.of(1, 2, 3, 4, 5, 6) }],
      ['ids', { shape: [2], data: BigInt64Array.of(1n, 2n) }],
      ['steps', { shape: [], data: Int32Array.of(9) }],
      ['none', { shape: [0, 5], data: new Float64Array(0) }],
    ]),
    metadata: { model: '{"kind":"gru4rec"}' },
  })

  /** Reads all tensors, which cannot be larger than the file. */
  function checkHarmless(bytes: Uint8Array): void {
    try {
      const file = readSafetensors(bytes)
      let stored = 0
      for (const [name, { type }] of file.tensors) {
        stored += file.values(name).length * elementTypes[type].size
      }
      expect(stored).toBeLessThan(bytes.length)
    } catch (error) {
      if (!(error instanceof RenError) || error.code !== 'file-malformed') throw error
    }
  }

  it('a cut file is refused at every length', () => {
    for (let length = 0; length < valid.length; length += 1) {
      expect(() => readSafetensors(valid.subarray(0, length))).toThrow(malformed(''))
    }
  })

  it('changed, lost and added bytes are read or refused', () => {
    // Digits, brackets and quotes reach more code than arbitrary bytes, which mostly break the JSON.
    const byte = fc.oneof(
      fc.nat({ max: 255 }),
      fc.constantFrom(...Buffer.from('0123456789-.eE[]{}",:\\FI')),
    )
    const edit = fc.record({
      at: fc.nat({ max: valid.length }),
      removed: fc.nat({ max: 3 }),
      added: fc.array(byte, { maxLength: 3 }),
    })
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), fc.boolean(), (edits, mend) => {
        const bytes = [...valid]
        for (const { at, removed, added } of edits) bytes.splice(at, removed, ...added)
        const file = Uint8Array.from(bytes)
        // A corrected length lets the damage reach the rest of the header.
        const end = bytes.lastIndexOf(0x7d) + 1
        if (mend && end > 8) new DataView(file.buffer).setBigUint64(0, BigInt(end - 8), true)
        checkHarmless(file)
      }),
      { numRuns: 3000 },
    )
  })

  it('headers of plausible fields are read or refused', () => {
    const size = fc.oneof(fc.nat({ max: 16 }), fc.constantFrom(-1, 0.5, 2 ** 31, 2 ** 53, 1e300))
    const field = fc.record({
      dtype: fc.constantFrom(...Object.keys(elementTypes), 'U8', null),
      shape: fc.oneof(fc.array(size, { maxLength: 3 }), fc.jsonValue()),
      data_offsets: fc.oneof(fc.tuple(size, size), fc.jsonValue()),
    })
    const header = fc.dictionary(fc.string({ maxLength: 3 }), fc.oneof(field, fc.jsonValue()), {
      maxKeys: 3,
    })
    fc.assert(
      fc.property(header, fc.nat({ max: 64 }), (fields, dataBytes) => {
        checkHarmless(assemble(JSON.stringify(fields), dataBytes))
      }),
      { numRuns: 2000 },
    )
  })

  it('claims of terabytes allocate nothing', () => {
    const tebibyte = 2 ** 40
    const claims = [
      assemble('{}', 0, BigInt(tebibyte)),
      assemble(`{"x":${entry(0, tebibyte)}}`),
      assemble(`{"x":${entry(0, 8, [tebibyte / 4])}}`, 8),
      assemble(`{"x":${entry(tebibyte, tebibyte)}}`),
    ]
    const before = process.memoryUsage().arrayBuffers
    for (const file of claims) expect(() => readSafetensors(file)).toThrow(malformed(''))
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 20)
  })
})
