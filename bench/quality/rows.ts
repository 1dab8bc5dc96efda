// The rows of the table of bars by name.

import { coldStart } from './cold-start.ts'
import { costs } from './costs.ts'
import { ml100k, ml1m } from './last-item.ts'
import { mind } from './mind.ts'
import { newItems } from './new-items.ts'
import type { QualityRow } from './row.ts'
import { diginetica } from './sessions.ts'
import { stream } from './stream.ts'

export const rows: Readonly<Record<string, QualityRow>> = {
  'ml-1m': ml1m,
  'ml-100k': ml100k,
  diginetica,
  mind,
  stream,
  'cold-start': coldStart,
  'new-items': newItems,
  costs,
}
