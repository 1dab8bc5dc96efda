// Where data sets are looked for unless --data says.

import { existsSync } from 'node:fs'

export const usualData = (): string =>
  process.env['REN_DATA'] ?? ['data', '../shared/data'].find(existsSync) ?? 'data'
