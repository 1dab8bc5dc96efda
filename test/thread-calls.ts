// The worker of src/node/thread.test.ts.

import { setTimeout as delay } from 'node:timers/promises'
import { isMainThread } from 'node:worker_threads'

import { RenError } from '../src/core/errors.ts'
import { moved, serveCalls } from '../src/node/thread.ts'
import type { CallContext } from '../src/node/thread.ts'

export const calls = {
  double: (n: number) => 2 * n,
  async later({ ms, value }: { readonly ms: number; readonly value: string }) {
    await delay(ms)
    return value
  },
  count(to: number, { progress }: CallContext<{ readonly share: number }>) {
    for (let n = 1; n <= to; n++) progress({ share: n / to })
    return to
  },
  async untilCanceled(_: null, { signal }: CallContext) {
    while (!signal.aborted) await delay(5)
    return 'canceled'
  },
  refuse(kind: 'ren' | 'plain') {
    if (kind === 'plain') throw new TypeError('not a function')
    throw new RenError('plan-invalid', 'count must be at least 1, got 0', {
      path: 'count',
      details: { minimum: 1 },
    })
  },
  fill({ length, value }: { readonly length: number; readonly value: number }) {
    const bytes = new Uint8Array(length).fill(value)
    return moved({ bytes })
  },
  /** Returns the remaining length of the transferred memory. */
  reportBytes(length: number, { progress }: CallContext<Uint8Array>) {
    const bytes = new Uint8Array(length).fill(1)
    progress(moved(bytes))
    return bytes.length
  },
  sum: (bytes: Uint8Array) => bytes.reduce((sum, byte) => sum + byte, 0),
  exit(code: number): void {
    process.exit(code)
  },
}

if (!isMainThread) serveCalls(calls)
