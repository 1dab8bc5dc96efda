import { describe, expect, it } from 'vitest'

import { errorCodes, RenError } from '../../core/errors.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { Notice } from '../settings.ts'
import { failureOf, statuses } from './failures.ts'

const message = 'something at /var/lib/shop.db'

function answerTo(error: unknown) {
  const notices: Notice[] = []
  return { ...failureOf(error, (notice) => notices.push(notice)), notices }
}

describe('an error of the package', () => {
  const codes = Object.keys(errorCodes) as ErrorCode[]

  it.each(codes.filter((code) => (statuses[code] ?? 503) !== 503))(
    '%s is the business of whoever asked',
    (code) => {
      const { status, body, notices } = answerTo(new RenError(code, message))
      expect({ status, body }).toEqual({
        status: statuses[code],
        body: { error: { code, message } },
      })
      expect(notices).toEqual([])
    },
  )

  it.each(codes.filter((code) => statuses[code] === 503))(
    '%s is told of by its meaning, and in full to whoever runs the server',
    (code) => {
      const { body, notices } = answerTo(new RenError(code, message))
      expect(body).toEqual({ error: { code, message: errorCodes[code] } })
      expect(notices).toEqual([{ level: 'error', code, message }])
    },
  )

  it.each(codes.filter((code) => statuses[code] === undefined))(
    '%s is nothing that a request should meet',
    (code) => {
      const { status, body, notices } = answerTo(new RenError(code, message))
      expect([status, body.error.code]).toEqual([500, 'internal'])
      expect(body.error.message).not.toContain('shop.db')
      expect(notices).toMatchObject([{ level: 'error', code }])
    },
  )
})

describe('any other error', () => {
  it.each([new TypeError('a secret'), 'a secret', null, undefined, { statusCode: 400 }])(
    'is a number for whoever asked, and the story for whoever runs the server: %s',
    (error) => {
      const { status, body, notices } = answerTo(error)
      expect(status).toBe(500)
      const reference = /reference is (\S+)$/.exec(body.error.message)![1]!
      expect(notices[0]!.message).toContain(reference)
      expect(body.error.message).not.toContain('secret')
    },
  )
})
