// Conditions on attributes, one per row, combined with AND. The resulting filter is shown below, so
// that you can use it elsewhere.

import { useId } from 'preact/hooks'

import type { Filter } from '../../service/index.ts'
import { named, Select, TextBox } from '../parts/inputs.tsx'
import { Button } from '../parts/panel.tsx'

interface FilterBuilderProps {
  readonly conditions: readonly Condition[]
  setConditions(conditions: readonly Condition[]): void
  /** Suggested names. */
  readonly attributes: readonly string[]
  /** The conditions as JSON. */
  readonly filter: string
}

export function FilterBuilder(props: FilterBuilderProps) {
  const { conditions, setConditions, attributes, filter } = props
  const names = useId()
  return (
    <div class="filter" role="group" aria-label="Conditions on attributes">
      <datalist id={names}>
        {attributes.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {conditions.map((condition, place) => (
        <ConditionRow
          key={place}
          {...{ condition, names, place }}
          change={(changes) => setConditions(conditions.with(place, { ...condition, ...changes }))}
          remove={() => setConditions(conditions.toSpliced(place, 1))}
        />
      ))}
      <div class="row">
        <Button
          class="small"
          label="Add a condition"
          onClick={() => setConditions([...conditions, noCondition])}
        />
        {filter !== '' && <code class="soft">{filter}</code>}
      </div>
    </div>
  )
}

interface ConditionRowProps {
  readonly condition: Condition
  readonly names: string
  readonly place: number
  change(changes: Partial<Condition>): void
  remove(): void
}

function ConditionRow({ condition, names, place, change, remove }: ConditionRowProps) {
  const { attribute, operator, value } = condition
  const of = `of condition ${place + 1}`
  return (
    <div class="condition">
      <TextBox
        list={names}
        placeholder="attribute"
        aria-label={`Attribute ${of}`}
        value={attribute}
        onChange={(typed) => change({ attribute: typed })}
      />
      <Select
        aria-label={`Operator ${of}`}
        value={operator}
        options={named(operators)}
        onChange={(chosen) => change({ operator: chosen })}
      />
      {operator !== 'exists' && (
        <TextBox
          placeholder={operator === 'in' ? 'one, another' : 'value'}
          aria-label={`Value ${of}`}
          title="Numbers, true and false are parsed; use quotes for strings."
          value={value}
          onChange={(typed) => change({ value: typed })}
        />
      )}
      <Button class="small" label="Remove" about={`condition ${place + 1}`} onClick={remove} />
    </div>
  )
}

export const operators = ['=', 'in', '<', '>', 'exists'] as const
export type Operator = (typeof operators)[number]

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
