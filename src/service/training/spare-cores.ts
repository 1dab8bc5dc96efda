// The cores that full training may use: all of them while no request arrives, and one fewer for a moment
// after each request. Calls of the service note their time in shared memory. The training thread reads it
// before each kernel, so it yields within milliseconds. Its result does not depend on the number of threads.

/** The time of the last call in shared memory: the low 32 bits of milliseconds since 1970. */
export type LastCall = Int32Array<SharedArrayBuffer>

export const createLastCall = (): LastCall => new Int32Array(new SharedArrayBuffer(4))

export function noteCall(lastCall: LastCall): void {
  Atomics.store(lastCall, 0, Date.now() | 0)
}

/** Milliseconds after a call during which training leaves one core to requests. */
const quietMs = 250

/** Returns how many of the threads training may use now. */
export const spareThreads = (lastCall: LastCall, threads: number) => (): number => {
  const elapsed = ((Date.now() | 0) - Atomics.load(lastCall, 0)) | 0
  const isQuiet = elapsed < 0 || elapsed >= quietMs
  return isQuiet ? threads : Math.max(1, threads - 1)
}
