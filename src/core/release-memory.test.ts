import { expect, test } from 'vitest'

import {
  createScratch,
  inSharedMemory,
  largeBlockBytes,
  releaseMemory,
  allocateForFile,
} from './release-memory.ts'

const some = (): Uint8Array => Uint8Array.of(1, 2, 3)

test('released memory empties all its views, and shared memory is not released', () => {
  const bytes = some()
  const view = bytes.subarray(1)
  releaseMemory(bytes)
  expect([bytes.length, view.length]).toEqual([0, 0])
  const shared = inSharedMemory(some())
  releaseMemory(shared)
  expect([...shared]).toEqual([1, 2, 3])
})

test('moving bytes to shared memory copies them and empties the original', () => {
  const bytes = some()
  const shared = inSharedMemory(bytes)
  expect(shared.buffer).toBeInstanceOf(SharedArrayBuffer)
  expect([...shared]).toEqual([1, 2, 3])
  expect(bytes).toHaveLength(0)
})

test('memory for a file is zeroed and can be transferred to another thread', () => {
  const scratch = allocateForFile(5)
  expect([...scratch]).toEqual([0, 0, 0, 0, 0])
  const [moved] = structuredClone([scratch], { transfer: [scratch.buffer] })
  expect([scratch.length, moved.length]).toEqual([0, 5])
  expect(allocateForFile(0)).toHaveLength(0)
})

test('arrays of one scratch allocator are zeroed, do not overlap, and are freed together', () => {
  const scratch = createScratch()
  const arrays = [
    scratch.int32(0),
    scratch.int32(3),
    scratch.float32(largeBlockBytes / 4),
    scratch.int32(2),
  ]
  for (const [i, array] of arrays.entries()) array.fill(i)
  expect(arrays.map((array) => [array.length, array.at(-1)])).toEqual([
    [0, undefined],
    [3, 1],
    [largeBlockBytes / 4, 2],
    [2, 3],
  ])
  scratch.release()
  expect(arrays.map(({ length }) => length)).toEqual([0, 0, 0, 0])
  expect([...scratch.int32(2)]).toEqual([0, 0])
})
