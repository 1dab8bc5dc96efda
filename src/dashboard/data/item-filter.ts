// Converts typed conditions into a filter of the API.

import type { Filter } from '../../service/index.ts'

export type Operator = '=' | 'in' | '<' | '>' | 'exists'
export const operators: readonly Operator[] = ['=', 'in', '<', '>', 'exists']

export interface Condition {
  readonly attribute: string
  readonly operator: Operator
  /** As typed. */
  readonly value: string
}

export const noCondition: Condition = { attribute: '', operator: '=', value: '' }

/** All complete conditions as JSON; empty if there are none. */
export function filterText(conditions: readonly Condition[]): string {
  const filters = conditions.filter(isComplete).map(filterOf)
  const [first, ...rest] = filters
  if (!first) return ''
  return JSON.stringify(rest.length === 0 ? first : { and: filters })
}

const isComplete = ({ attribute, operator, value }: Condition): boolean =>
  attribute.trim() !== '' && (operator === 'exists' || value.trim() !== '')

function filterOf({ attribute: typed, operator, value }: Condition): Filter {
  const attribute = typed.trim()
  if (operator === '=') return { attribute, equals: scalarOf(value) }
  if (operator === 'in') return { attribute, in: listOf(value) }
  if (operator === '<') return { attribute, lessThan: orderedOf(value) }
  if (operator === '>') return { attribute, greaterThan: orderedOf(value) }
  return { attribute, exists: true }
}

/** A number or a boolean if the text is one; otherwise a string. Quotes always make a string. */
export function scalarOf(typed: string): string | number | boolean {
  const text = typed.trim()
  if (text === 'true' || text === 'false') return text === 'true'
  if (/^".*"$/s.test(text)) return text.slice(1, -1)
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}

const listOf = (typed: string): (string | number | boolean)[] =>
  typed
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(scalarOf)

/** Booleans have no order, so they are strings here. */
function orderedOf(typed: string): string | number {
  const value = scalarOf(typed)
  return typeof value === 'boolean' ? String(value) : value
}
