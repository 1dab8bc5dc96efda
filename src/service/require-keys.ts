// A key that nobody reads is a mistake, not a wish: it is refused with the names there are.

import { invalid } from '../recommender/requirements.ts'

export function requireKeys(what: string, value: object, known: readonly string[]): void {
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) throw invalid(`${what}: expected ${known.join(', ')}, got ${key}`)
  }
}
