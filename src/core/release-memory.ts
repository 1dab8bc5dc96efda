// Frees large buffers explicitly. The garbage collector frees memory outside the heap only when it
// collects the last array, which can be long after the last read.

/** Frees the memory of an array. The array and all views of its buffer become empty. */
export function releaseMemory({ buffer }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/**
 * From this size in bytes on, glibc maps each block separately: untouched pages take no memory, and
 * a freed block returns to the system. Smaller blocks come from an arena that rarely shrinks.
 */
export const largeBlockBytes = 2 ** 25

/** An allocator of arrays that are freed together. */
export type Scratch = ReturnType<typeof createScratch>

/**
 * Creates an allocator of zeroed temporary arrays. They share blocks of at least `largeBlockBytes`.
 */
export function createScratch() {
  const blocks: Uint8Array<ArrayBuffer>[] = []
  let block = new Uint8Array(0)
  let next = 0

  /** Returns the buffer and offset of a free range of this size. */
  function take(bytes: number): [ArrayBuffer, number] {
    if (next + bytes > block.length) {
      block = new Uint8Array(Math.max(bytes, largeBlockBytes))
      blocks.push(block)
      next = 0
    }
    next += bytes
    return [block.buffer, next - bytes]
  }

  return {
    int32: (length: number) => new Int32Array(...take(4 * length), length),
    float32: (length: number) => new Float32Array(...take(4 * length), length),
    /** Frees all arrays; they become empty. */
    release(): void {
      for (const freed of blocks.splice(0)) releaseMemory(freed)
    },
  }
}

/**
 * Allocates memory for a large file that is read once. A resizable buffer is mapped directly, so its
 * memory returns to the system when it is freed; the default allocator would retain it.
 */
export function allocateForFile(bytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(bytes, { maxByteLength: bytes }), 0, bytes)
}

/** Copies bytes into shared memory, which other threads can read, and frees the original. */
export function inSharedMemory(bytes: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  releaseMemory(bytes)
  return shared
}
