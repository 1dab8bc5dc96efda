import { describe, expect, it } from 'vitest'

import { errorCodes, RenError, type ErrorCode } from '../../core/errors.ts'
import type { LogMessage } from '../settings.ts'
import { failureOf, statuses } from './failures.ts'

const message = 'something at /var/lib/shop.db'

function answerTo(error: unknown) {
  const logMessages: LogMessage[] = []
  return { ...failureOf(error, (logMessage) => logMessages.push(logMessage)), logMessages }
}

describe('an error of the package', () => {
  const codes = Object.keys(errorCodes) as ErrorCode[]

  it.each(codes.filter((code) => (statuses[code] ?? 503) !== 503))(
    '%s is an error of the client: its message is in the response and not in the log',
    (code) => {
      const { status, body, logMessages } = answerTo(new RenError(code, message))
      expect({ status, body }).toEqual({
        status: statuses[code],
        body: { error: { code, message } },
      })
      expect(logMessages).toEqual([])
    },
  )

  it.each(codes.filter((code) => statuses[code] === 503))(
    '%s is a fault of the server: the response has its meaning, and the log has its message',
    (code) => {
      const { body, logMessages } = answerTo(new RenError(code, message))
      expect(body).toEqual({ error: { code, message: errorCodes[code] } })
      expect(logMessages).toEqual([{ level: 'error', code, message }])
    },
  )

  it.each(codes.filter((code) => statuses[code] === undefined))(
    '%s is nothing that a request should meet',
    (code) => {
      const { status, body, logMessages } = answerTo(new RenError(code, message))
      expect([status, body.error.code]).toEqual([500, 'internal'])
      expect(body.error.message).not.toContain('shop.db')
      expect(logMessages).toMatchObject([{ level: 'error', code }])
    },
  )
})

describe('any other error', () => {
  it.each([new TypeError('a secret'), 'a secret', null, undefined, { statusCode: 400 }])(
    'is a number for the caller, and logged in full for the operator: %s',
    (error) => {
      const { status, body, logMessages } = answerTo(error)
      expect(status).toBe(500)
      const reference = /reference is (\S+)$/.exec(body.error.message)![1]!
      expect(logMessages[0]!.message).toContain(reference)
      expect(body.error.message).not.toContain('secret')
    },
  )
})
