// Inputs: text boxes, check boxes and selects.

import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'

/** Attributes that connect it with its label, if it is not inside one. */
interface Tied {
  readonly id?: string
  readonly 'aria-label'?: string
  readonly 'aria-describedby'?: string
  readonly 'aria-invalid'?: boolean
}

interface TextBoxProps extends Tied {
  readonly type?: 'search' | 'password' | 'number'
  readonly class?: string
  readonly list?: string
  readonly min?: number
  readonly placeholder?: string
  readonly title?: string
  readonly value: string
  onChange(value: string): void
}

export function TextBox({ onChange, ...rest }: TextBoxProps) {
  return (
    <input
      autocomplete="off"
      spellcheck={false}
      {...(rest as InputHTMLAttributes)}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

interface CheckProps {
  readonly label: ComponentChildren
  readonly checked: boolean
  readonly title?: string
  /** Radio buttons with the same name exclude each other. */
  readonly name?: string
  onChange(isOn: boolean): void
}

export function Check({ label, checked, title = '', name, onChange }: CheckProps) {
  return (
    <label class="check" title={title}>
      <input
        {...(name === undefined ? { type: 'checkbox' } : { type: 'radio', name })}
        checked={checked}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  )
}

interface Choice<T extends string> {
  readonly value: T
  /** The text of each value. */
  readonly options: Readonly<Record<T, string>>
  onChange(value: T): void
}

const entriesOf = <T extends string>(options: Readonly<Record<T, string>>) =>
  Object.entries<string>(options) as [T, string][]

/** A choice of a few visible options. */
export function Radios<T extends string>({
  label,
  value,
  options,
  onChange,
}: Choice<T> & { readonly label: string }) {
  const name = useId()
  return (
    <div class="choices" role="radiogroup" aria-label={label}>
      {entriesOf(options).map(([each, words]) => (
        <Check
          key={each}
          label={words}
          name={name}
          checked={each === value}
          onChange={() => onChange(each)}
        />
      ))}
    </div>
  )
}

export function Select<T extends string>({ options, onChange, ...rest }: Choice<T> & Tied) {
  return (
    <select {...rest} onChange={({ currentTarget }) => onChange(currentTarget.value as T)}>
      {entriesOf(options).map(([each, words]) => (
        <option key={each} value={each}>
          {words}
        </option>
      ))}
    </select>
  )
}

/** Options whose text is their value. */
export const named = <T extends string>(names: readonly T[]): Readonly<Record<T, string>> =>
  Object.fromEntries<string>(names.map((name) => [name, name])) as Record<T, string>
