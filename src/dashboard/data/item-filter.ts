// From conditions as people put them to a filter as the service takes it.

import type { Filter } from '../../service/index.ts'

export type Operator = '=' | 'in' | '<' | '>' | 'exists'
export const operators: readonly Operator[] = ['=', 'in', '<', '>', 'exists']

export interface Condition {
  readonly attribute: string
  readonly operator: Operator
  /** As it was typed. */
  readonly value: string
}

export const noCondition: Condition = { attribute: '', operator: '=', value: '' }

/** As JSON, all conditions at once; empty where none is complete. */
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

/** A number, true or false where it reads as one; a text otherwise, and always in quotes. */
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

/** True and false have no order, and are texts like any other here. */
function orderedOf(typed: string): string | number {
  const value = scalarOf(typed)
  return typeof value === 'boolean' ? String(value) : value
}
