// Values of command line options: texts made numbers, or refused with what was expected.

import { InvalidArgumentError } from 'commander'

import { RenError } from '../core/errors.ts'
import { parseSeeds } from '../experiments/seeds.ts'

/** A parser of whole numbers from `least` up, to `most` where one is given. */
export function integer(least: number, most = Infinity): (text: string) => number {
  const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`
  return number(
    `a whole number ${range}`,
    (n) => Number.isSafeInteger(n) && n >= least && n <= most,
  )
}

/** A parser of numbers that are above 0. */
export const positive = number('a number above 0', (n) => n > 0)

/** A parser of numbers that are not negative. */
export const notNegative = number('a number of at least 0', (n) => n >= 0)

/** A parser of shares of which something is left: 0 to below 1. */
export const share = number('a number from 0 to below 1', (n) => n >= 0 && n < 1)

function number(expected: string, accepts: (value: number) => boolean): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text)
    if (Number.isFinite(value) && accepts(value)) return value
    throw new InvalidArgumentError(`Expected ${expected}.`)
  }
}

/** A parser of comma-separated names. */
export const commaList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** A parser of seeds such as `200..219`. */
export function seedsOption(text: string): readonly number[] {
  try {
    return parseSeeds(text)
  } catch (error) {
    if (error instanceof RenError) throw new InvalidArgumentError(error.message)
    throw error
  }
}

/** Gathers `key=value` texts of an option that may come several times. */
export function keyValue(
  text: string,
  before: Readonly<Record<string, OptionValue>> = {},
): Readonly<Record<string, OptionValue>> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Expected key=value.')
  return { ...before, [text.slice(0, at)]: valueOf(text.slice(at + 1)) }
}

export type OptionValue = string | number | boolean

function valueOf(text: string): OptionValue {
  if (text === 'true' || text === 'false') return text === 'true'
  const value = Number(text)
  return text.trim() === '' || Number.isNaN(value) ? text : value
}
