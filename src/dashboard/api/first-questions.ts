// What the view Live asks first, asked before the page is drawn: the answers are on their way
// meanwhile.

import { ask } from './ask.ts'

const questions = ['/v1/status', '/v1/metrics']
const asked = new Map<string, Promise<never>>()

/** For what is after the # of the address. */
export function askFirst(hash: string): void {
  if (!/^(#\/?(live.*)?)?$/.test(hash)) return
  for (const path of questions) {
    const answer = ask<never>('GET', path)
    // Whoever takes it hears of its failure, but nobody may come for it.
    answer.catch(() => {})
    asked.set(path, answer)
  }
}

/** Once; the next time it would be old. */
export function firstAnswer<T>(path: string): Promise<T> | undefined {
  const answer = asked.get(path)
  asked.delete(path)
  return answer
}
