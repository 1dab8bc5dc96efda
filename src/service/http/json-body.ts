// Parses JSON bodies; the error for an invalid one says what is wrong.

import { RenError } from '../../core/errors.ts'
import type { App } from './parts.ts'

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
