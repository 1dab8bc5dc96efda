// Parsers of option values. Their errors say what is allowed.

import { InvalidArgumentError } from 'commander'

import { RenError } from '../core/errors.ts'
import { describeAllowed, isAllowed, type NumberSetting } from '../core/settings.ts'
import { parseSeeds } from '../experiments/seeds.ts'

/** The flag of an option: logQ is --log-q. */
export const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Parses integers from `min` to `max`. */
export function integer(min: number, max = Infinity): (text: string) => number {
  const range = max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`
  return number(`an integer ${range}`, (n) => Number.isSafeInteger(n) && n >= min && n <= max)
}

export const positive = number('a number above 0', (n) => n > 0 && n < Infinity)

export const notNegative = number('a number of at least 0', (n) => n >= 0 && n < Infinity)

export const share = number('a number from 0 to below 1', (n) => n >= 0 && n < 1)

/** Parses the numbers that a setting allows. */
export const numberOf = (setting: NumberSetting<number>) =>
  number(describeAllowed(setting), (n) => isAllowed(setting, n))

function number(expected: string, accepts: (value: number) => boolean): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text)
    if (accepts(value)) return value
    throw new InvalidArgumentError(`Expected ${expected}.`)
  }
}

/** Parses comma-separated names. */
export const commaList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** Parses seeds such as `200..219`. */
export function seedsOption(text: string): readonly number[] {
  try {
    return parseSeeds(text)
  } catch (error) {
    if (error instanceof RenError) throw new InvalidArgumentError(error.message)
    throw error
  }
}

/** Collects the `key=value` texts of a repeatable option. */
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
