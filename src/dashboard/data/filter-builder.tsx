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

/** The condition of each operator on a value as typed. */
const conditionsOf = {
  '=': (value: string) => ({ equals: scalarOf(value) }),
  in: (value: string) => ({ in: listOf(value) }),
  '<': (value: string) => ({ lessThan: orderedOf(value) }),
  '>': (value: string) => ({ greaterThan: orderedOf(value) }),
  exists: () => ({ exists: true }) as const,
}
export type Operator = keyof typeof conditionsOf
export const operators = Object.keys(conditionsOf) as readonly Operator[]

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
  if (filters.length === 0) return ''
  return JSON.stringify(filters.length === 1 ? filters[0] : { and: filters })
}

const isComplete = ({ attribute, operator, value }: Condition): boolean =>
  attribute.trim() !== '' && (operator === 'exists' || value.trim() !== '')

const filterOf = ({ attribute, operator, value }: Condition): Filter => ({
  attribute: attribute.trim(),
  ...conditionsOf[operator](value),
})

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
