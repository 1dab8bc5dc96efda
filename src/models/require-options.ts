// Checks of options, in one place: what each is expected to be, and the error that says so.

import { describeValue } from '../core/describe-value.ts'
import { invalid } from '../core/errors.ts'

export interface Expectation {
  /** Ends the sentence "x must be …". */
  readonly text: string
  readonly holds: (value: unknown) => boolean
}

/** From `least` to `most`, by default what an index of 32 bits can count. */
export const wholeNumber = (least = 1, most = 2 ** 31 - 1): Expectation => ({
  text: `a whole number from ${least} to ${most}`,
  holds: (value) => Number.isSafeInteger(value) && within(value, least, most),
})
export const wholeNumberOrInfinity = (least = 1): Expectation => ({
  text: `a whole number of at least ${least}, or Infinity`,
  holds: (value) =>
    value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && Number(value) >= least),
})
export const finiteNumber: Expectation = { text: 'a finite number', holds: Number.isFinite }
export const positiveNumber: Expectation = {
  text: 'a positive number',
  holds: (value) => Number.isFinite(value) && Number(value) > 0,
}
export const positiveNumberOrInfinity: Expectation = {
  text: 'a positive number, or Infinity',
  holds: (value) => typeof value === 'number' && value > 0,
}
export const nonNegativeNumber: Expectation = {
  text: 'a finite number of at least 0',
  holds: (value) => Number.isFinite(value) && Number(value) >= 0,
}
export const nonNegativeNumberOrInfinity: Expectation = {
  text: 'a number of at least 0, or Infinity',
  holds: (value) => typeof value === 'number' && value >= 0,
}
/** A rate of dropout, a momentum, a β: 0 is none, and at 1 nothing would be left. */
export const share: Expectation = {
  text: 'a number from 0 to below 1',
  holds: (value) => Number.isFinite(value) && Number(value) >= 0 && Number(value) < 1,
}
export const oneOf = (...choices: readonly string[]): Expectation => ({
  text: choices.join(' or '),
  holds: (value) => choices.some((choice) => choice === value),
})
/** Or absent. */
export const optional = ({ text, holds }: Expectation): Expectation => ({
  text,
  holds: (value) => value === undefined || holds(value),
})

/** Refuses the first option that is not as expected; `where` names whose it is. */
export function requireOptions<Options extends object>(
  where: string,
  options: Options,
  expected: { readonly [Name in keyof Options]?: Expectation },
): void {
  for (const [name, expectation] of Object.entries(
    expected as Readonly<Record<string, Expectation>>,
  )) {
    const value: unknown = options[name as keyof Options]
    if (expectation.holds(value)) continue
    throw invalid(`${where}: ${name} must be ${expectation.text}, got ${describeValue(value)}`)
  }
}

function within(value: unknown, least: number, most: number): boolean {
  return Number(value) >= least && Number(value) <= most
}
