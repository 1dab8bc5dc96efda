// Sends the first requests of the Live view before the application has loaded, so that both load in
// parallel.

import type { Status } from '../../service/index.ts'
import { sendRequest } from './request.ts'

const pending = new Map<string, Promise<never>>()

/** Returns the status request if the hash selects the Live view, otherwise null. */
export function sendFirstRequests(hash: string): Promise<Status> | null {
  if (!/^(#\/?(live.*)?)?$/.test(hash)) return null
  const [status] = ['/v1/status', '/v1/metrics'].map((path) => {
    const answer = sendRequest<never>('GET', path)
    // The caller handles a failure; without a caller it must not be reported as unhandled.
    answer.catch(() => {})
    pending.set(path, answer)
    return answer
  })
  return status!
}

/** Returns each response once, because it would be outdated the next time. */
export function firstResponse<T>(path: string): Promise<T> | undefined {
  const answer = pending.get(path)
  pending.delete(path)
  return answer
}
