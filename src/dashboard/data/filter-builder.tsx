// Conditions on attributes, one a row; all have to hold. Below them stands the filter that the
// service is asked with, to be used elsewhere.

import { useId } from 'preact/hooks'

import { noCondition, operators } from './item-filter.ts'
import type { Condition, Operator } from './item-filter.ts'

interface FilterBuilderProps {
  readonly conditions: readonly Condition[]
  setConditions(conditions: readonly Condition[]): void
  /** Names to be offered. */
  readonly attributes: readonly string[]
  /** The same as JSON. */
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
        <button
          type="button"
          class="small"
          onClick={() => setConditions([...conditions, noCondition])}
        >
          Add a condition
        </button>
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
      <input
        list={names}
        placeholder="attribute"
        aria-label={`Attribute ${of}`}
        value={attribute}
        onInput={({ currentTarget }) => change({ attribute: currentTarget.value })}
      />
      <select
        aria-label={`Operator ${of}`}
        value={operator}
        onChange={({ currentTarget }) => change({ operator: currentTarget.value as Operator })}
      >
        {operators.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      {operator !== 'exists' && (
        <input
          placeholder={operator === 'in' ? 'one, another' : 'value'}
          aria-label={`Value ${of}`}
          title="Numbers, true and false are read as such; quotes make a text of them."
          value={value}
          onInput={({ currentTarget }) => change({ value: currentTarget.value })}
        />
      )}
      <button type="button" class="small" onClick={remove}>
        Remove<span class="unseen"> condition {place + 1}</span>
      </button>
    </div>
  )
}
