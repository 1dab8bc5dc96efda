// Parses JSON bodies; the error for an invalid one says what is wrong.

import { RenError } from '../../core/errors.ts'
import { limits } from './limits.ts'
import type { App } from './parts.ts'

// JSON of the caller's own may nest only so deep: whoever walks it later walks by recursion.

// A filter of filters is an object and a list a level.
const levels = 2 * limits.depth

export function requireShallow(value: unknown, place: string): void {
  if (!isDeeper(value, levels)) return
  throw new RenError(
    'invalid-argument',
    `${place}: expected at most ${levels} lists and objects within each other, got more`,
  )
}

function isDeeper(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return left === 0 || Object.values(value).some((part) => isDeeper(part, left - 1))
}

export function readJsonBodies(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<string>(
    'application/json',
    { parseAs: 'string' },
    (request, text, done) => {
      void parse(request, text, (error, value) => done(error && refusalOf(text), value))
    },
  )
}

function refusalOf(text: string): RenError {
  return new RenError('invalid-argument', `body: ${complaintAbout(text)}`)
}

function complaintAbout(text: string): string {
  if (text === '') return 'expected JSON, got nothing'
  try {
    JSON.parse(text)
  } catch (error) {
    return `expected JSON, got another text: ${(error as Error).message.slice(0, 200)}`
  }
  return 'expected no key __proto__ and no constructor with a prototype, got one'
}
