// Conditions on attributes, one per row, combined with AND. The resulting filter is shown below, so
// that you can use it elsewhere.

import { useId } from 'preact/hooks'

import { named, Select, TextBox } from '../parts/inputs.tsx'
import { noCondition, operators } from './item-filter.ts'
import type { Condition } from './item-filter.ts'

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
      <button type="button" class="small" onClick={remove}>
        Remove<span class="unseen"> condition {place + 1}</span>
      </button>
    </div>
  )
}
