// What worlds and contestants ask of their settings; each refusal says whose setting it is, what was
// expected of it and what came.

import { RenError } from '../core/errors.ts'

/** Refuses settings that are no whole numbers of at least the given, or between the given. */
export function requireWholeNumbers<Name extends string>(
  owner: string,
  settings: Readonly<Record<NoInfer<Name>, number>>,
  bounds: Readonly<Record<Name, number | readonly [least: number, most: number]>>,
): void {
  for (const name of keysOf(bounds)) {
    const bound = bounds[name]
    const [least, most] = typeof bound === 'number' ? [bound, Infinity] : bound
    const value = settings[name]
    if (Number.isSafeInteger(value) && value >= least && value <= most) continue
    const expected = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`
    throw invalid(`${owner}: ${name} must be a whole number ${expected}, got ${value}`)
  }
}

/** Refuses settings that are none of the words for them. */
export function requireOneOf<Name extends string>(
  owner: string,
  settings: Readonly<Record<NoInfer<Name>, string>>,
  words: Readonly<Record<Name, readonly string[]>>,
): void {
  for (const name of keysOf(words)) {
    if (words[name].includes(settings[name])) continue
    throw invalid(`${owner}: ${name} must be ${words[name].join(' or ')}, got ${settings[name]}`)
  }
}

const ranges = {
  'above 0': (value) => value > 0,
  'at least 0': (value) => value >= 0,
  'from 0 to below 1': (value) => value >= 0 && value < 1,
} as const satisfies Readonly<Record<string, (value: number) => boolean>>

/** Refuses settings that are no finite numbers of the kind that is said. */
export function requireNumbers<Name extends string>(
  owner: string,
  settings: Readonly<Record<NoInfer<Name>, number>>,
  kinds: Readonly<Record<Name, keyof typeof ranges>>,
): void {
  for (const name of keysOf(kinds)) {
    const value = settings[name]
    if (Number.isFinite(value) && ranges[kinds[name]](value)) continue
    throw invalid(`${owner}: ${name} must be ${kinds[name]}, got ${value}`)
  }
}

export function invalid(message: string): RenError {
  return new RenError('invalid-argument', message)
}

const keysOf = <Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] =>
  Object.keys(record) as Key[]
