// Lists in which nothing may stand twice.

import { RenError } from '../core/errors.ts'

export function requireUnique(where: string, list: readonly (string | number)[]): void {
  const repeated = list.find((value, i) => list.indexOf(value) !== i)
  if (repeated === undefined) return
  throw new RenError('invalid-argument', `${where}: expected each once, got ${repeated} twice`)
}
