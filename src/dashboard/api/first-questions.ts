// What the view Live asks first, asked before the application is there: the answers are on their way
// meanwhile.

import type { Status } from '../../service/index.ts'
import { ask } from './ask.ts'

const asked = new Map<string, Promise<never>>()

/** For what is after the # of the address. How the service is, where the view Live is to be shown. */
export function askFirst(hash: string): Promise<Status> | null {
  if (!/^(#\/?(live.*)?)?$/.test(hash)) return null
  const [status] = ['/v1/status', '/v1/metrics'].map((path) => {
    const answer = ask<never>('GET', path)
    // Whoever takes it hears of its failure, but nobody may come for it.
    answer.catch(() => {})
    asked.set(path, answer)
    return answer
  })
  return status!
}

/** Once; the next time it would be old. */
export function firstAnswer<T>(path: string): Promise<T> | undefined {
  const answer = asked.get(path)
  asked.delete(path)
  return answer
}
