// Values on their way into a store: plain JSON, which says again what it said, or an error.

import { describeValue } from '../core/describe-value.ts'
import { RenError } from '../core/errors.ts'

const deepest = 100

/** The JSON text of a value that JSON can hold whole; `what` names it in messages. */
export function toJson(value: unknown, what: string): string {
  const problem = problemIn(value, 0)
  if (problem !== null) throw new RenError('invalid-argument', `${what}${problem}`)
  return JSON.stringify(value)
}

/** A name as stores keep it: text that any encoding can hold, and not empty. */
export function requireText(value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '' && value.isWellFormed()) return value
  const got = describeValue(value)
  throw new RenError('invalid-argument', `${what}: expected well-formed text, got ${got}`)
}

// Where a value is not plain JSON and why, as the end of a message; the path grows on return.
function problemIn(value: unknown, depth: number): string | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return null
    case 'number':
      return Number.isFinite(value) ? null : `: expected a finite number, got ${value}`
    case 'object':
      if (value === null) return null
      if (depth === deepest) return `: expected at most ${deepest} levels`
      return Array.isArray(value) ? problemInList(value, depth) : problemInObject(value, depth)
    default:
      return `: expected plain JSON, got ${describeValue(value)}`
  }
}

function problemInList(list: readonly unknown[], depth: number): string | null {
  for (let at = 0; at < list.length; at++) {
    const problem = problemIn(list[at], depth + 1)
    if (problem !== null) return `[${at}]${problem}`
  }
  return null
}

function problemInObject(object: object, depth: number): string | null {
  const prototype = Object.getPrototypeOf(object) as object | null
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    return `: expected a plain object, got a ${object.constructor.name}`
  }
  for (const key in object) {
    const value = (object as Record<string, unknown>)[key]
    const problem = value === undefined ? null : problemIn(value, depth + 1)
    if (problem !== null) return `.${key}${problem}`
  }
  return null
}
