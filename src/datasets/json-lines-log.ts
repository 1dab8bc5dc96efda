// A log from JSON Lines: one object a line with the keys user, item, time and perhaps reward.

import { millisecondsPer, readLog } from './read-log.ts'
import type { ReadResult, TimeUnit } from './read-log.ts'
import type { ReadOptions } from './read-rows.ts'
import { fieldText } from './split-row.ts'

/**
 * Reads a log from JSON Lines: one object per line with the keys user, item, time and optionally
 * reward. Other keys are ignored.
 */
export function readJsonLines(
  path: string,
  { timeUnit = 'milliseconds', ...options }: ReadOptions & { readonly timeUnit?: TimeUnit } = {},
): Promise<ReadResult> {
  const scale = millisecondsPer[timeUnit]
  return readLog(
    { path, format: { delimiter: '' } },
    options,
    (builder, badRows) => (row, line) => {
      const text = fieldText(row, 0)
      const event = parseObject(text)
      if (!event) return badRows.reject({ line }, 'a JSON object', text)
      for (const { key, expected, accepts } of expectations) {
        if (!accepts(event[key])) {
          const got = JSON.stringify(event[key]) ?? 'nothing'
          return badRows.reject({ line, name: key }, expected, got)
        }
      }
      const user = encoder.encode(String(event['user']))
      const item = encoder.encode(String(event['item']))
      builder.add(
        builder.users.indexOf(user, 0, user.length),
        builder.items.indexOf(item, 0, item.length),
        Number(event['reward'] ?? 1),
        Number(event['time']) * scale,
      )
    },
  )
}

const encoder = new TextEncoder()

const expectations = [
  { key: 'user', expected: 'a text or a number', accepts: isName },
  { key: 'item', expected: 'a text or a number', accepts: isName },
  { key: 'reward', expected: 'a number', accepts: (value: unknown) => isNumber(value ?? 1) },
  { key: 'time', expected: 'a number', accepts: isNumber },
]

function isName(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value !== '')
}

/** Whether a value is a number that survives float32 (rewards) and the change of unit (times). */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(Math.fround(value))
}

/** The object that a line spells; undefined where it spells none. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
