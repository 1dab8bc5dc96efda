// Memory outside the heap is given back when its last array is collected, which may be long after it
// was last read, and much piles up until then. Whoever knows that nobody reads it any more says so.

/** Gives back the memory of an array that owns it; the array and all views of it are empty from here on. */
export function releaseMemory({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
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
