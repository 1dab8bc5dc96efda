// Memory outside the heap is given back when its last array is collected, which may be long after it
// was last read, and much piles up until then. Whoever knows that nobody reads it any more says so.

/** Gives back the memory of an array that owns it; the array and all views of it are empty from here on. */
export function releaseMemory({ buffer }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/**
 * Bytes from which on glibc always maps a block by itself: pages that were never written to take no
 * memory, and the block goes back to the system when it is released. What is smaller it cuts out of
 * an arena that hardly ever shrinks.
 */
export const largeBlockBytes = 2 ** 25

/** Arrays that are given back together. */
export interface Room {
  int32(length: number): Int32Array<ArrayBuffer>
  float32(length: number): Float32Array<ArrayBuffer>
  /** Gives all arrays back at once; they are empty from here on. */
  release(): void
}

/** Room for temporary arrays, zeros at first. They share blocks that go back to the system. */
export function createRoom(): Room {
  const blocks: Uint8Array<ArrayBuffer>[] = []
  let block = new Uint8Array(0)
  let next = 0

  /** Where so many bytes are. */
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
    int32: (length) => new Int32Array(...take(4 * length), length),
    float32: (length) => new Float32Array(...take(4 * length), length),
    release() {
      for (const one of blocks.splice(0)) releaseMemory(one)
    },
  }
}

/**
 * Room for a large file that is read once. Such memory comes from the system and goes back to it; what
 * the allocator hands out, it keeps for others of that size.
 */
export function roomForFile(bytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(bytes, { maxByteLength: bytes }), 0, bytes)
}

/** The same bytes where other threads can read them too; the array is empty from here on. */
export function inSharedMemory(bytes: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  releaseMemory(bytes)
  return shared
}
