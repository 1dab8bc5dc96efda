// Runs and imports: long work that is asked for and looked after.

import { Type } from 'typebox'

import { anyObject, anything, closed, name, numberOrNull, oneOf, orNull, time } from './words.ts'

export const runRequest = closed({ kind: name, settings: Type.Optional(anyObject) }, 'RunRequest')

export const importRequest = closed(
  { name, format: oneOf('csv', 'jsonl'), text: Type.String({ description: 'a text' }) },
  'ImportRequest',
)

export const job = closed(
  {
    id: Type.String(),
    state: oneOf('waiting', 'running', 'done', 'failed', 'cancelled'),
    request: anyObject,
    created: time,
    ended: orNull(time),
    progress: closed({
      share: numberOrNull,
      message: Type.String(),
      data: Type.Optional(anything),
    }),
    result: Type.Optional(anything),
    error: Type.Optional(closed({ code: Type.String(), message: Type.String() })),
  },
  'Job',
)
