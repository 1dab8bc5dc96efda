// Lists in which nothing may stand twice.

import { RenError } from '../core/errors.ts'

export function requireUnique(where: string, list: readonly (string | number)[]): void {
  const before = new Set<string | number>()
  const repeated = list.find((value) => before.size === before.add(value).size)
  if (repeated === undefined) return
  throw new RenError('invalid-argument', `${where}: expected each once, got ${repeated} twice`)
}
