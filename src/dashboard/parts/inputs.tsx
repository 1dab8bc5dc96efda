// Inputs: text boxes, check boxes, selects, sliders, forms, and buttons that ask for confirmation.

import type { AriaAttributes, ComponentChildren } from 'preact'
import type { InputHTMLAttributes, LooseInputHTMLAttributes } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'

import { useAction } from '../api/use-fetch.ts'
import { fixed } from '../format.ts'
import { storedTheme, storeTheme, themes } from '../theme.ts'
import { Button, Refused } from './panel.tsx'

interface TextBoxProps extends Omit<LooseInputHTMLAttributes, 'value' | 'onChange'> {
  readonly list?: string
  readonly value: string
  onChange(value: string): void
}

export const TextBox = ({ onChange, ...rest }: TextBoxProps) => (
  <input
    autocomplete="off"
    spellcheck={false}
    {...(rest as InputHTMLAttributes)}
    onInput={({ currentTarget }) => onChange(currentTarget.value)}
  />
)

interface CheckProps {
  readonly label: ComponentChildren
  readonly checked: boolean
  readonly title?: string
  /** Radio buttons with the same name exclude each other. */
  readonly name?: string
  onChange(isOn: boolean): void
}

export const Check = ({ label, checked, title = '', name, onChange }: CheckProps) => (
  <label class="check" title={title}>
    <input
      {...(name === undefined ? { type: 'checkbox' } : { type: 'radio', name })}
      checked={checked}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    <span>{label}</span>
  </label>
)

interface Choice<T extends string> {
  readonly value: T
  /** The text of each value. */
  readonly options: Readonly<Record<T, string>>
  onChange(value: T): void
}

const entriesOf = <T extends string, V>(options: Readonly<Record<T, V>>) =>
  Object.entries<V>(options) as [T, V][]

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

/** Needs an `aria-label` if it is not inside a label. */
export function Select<T extends string>({
  options,
  onChange,
  ...rest
}: Choice<T> & Omit<AriaAttributes, 'role'> & { readonly id?: string }) {
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

/** A select with a visible label. */
export function SelectField<T extends string>({
  label,
  class: look,
  ...choice
}: Choice<T> & { readonly label: string; readonly class: 'check' | 'stack' }) {
  return (
    <label class={look}>
      {label}
      <Select {...choice} />
    </label>
  )
}

interface ChecksProps<T extends string> {
  /** The label of each value. */
  readonly options: Readonly<Record<T, ComponentChildren>>
  /** The tooltip of each value. */
  readonly titles?: Readonly<Partial<Record<T, string>>>
  readonly chosen: readonly T[]
  onChange(chosen: readonly T[]): void
}

/** A choice of any number of visible options. A new choice comes last. */
export function Checks<T extends string>({ options, titles, chosen, onChange }: ChecksProps<T>) {
  return entriesOf(options).map(([value, label]) => (
    <Check
      key={value}
      label={label}
      title={titles?.[value] ?? ''}
      checked={chosen.includes(value)}
      onChange={(isOn) =>
        onChange(isOn ? [...chosen, value] : chosen.filter((other) => other !== value))
      }
    />
  ))
}

/** Options whose text is their value. */
export const named = <T extends string>(names: readonly T[]): Readonly<Record<T, string>> =>
  Object.fromEntries<string>(names.map((name) => [name, name])) as Record<T, string>

type FormProps = Readonly<{ class: string; children: ComponentChildren; onSubmit(): void }>

export const Form = ({ onSubmit, ...rest }: FormProps) => (
  <form
    {...rest}
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit()
    }}
  />
)

interface SliderProps {
  readonly label: string
  readonly value: number
  readonly max: number
  readonly step: number
  onChange(value: number): void
}

/** From 0 to `max`. */
export function Slider({ label, value, max, step, onChange }: SliderProps) {
  const field = useId()
  return (
    <div class="slider">
      <label for={field}>{label}</label>
      <input
        id={field}
        type="range"
        min={0}
        {...{ max, step, value }}
        onInput={({ currentTarget }) => onChange(Number(currentTarget.value))}
      />
      <output for={field}>{fixed(value, digitsOf(step))}</output>
    </div>
  )
}

/** Decimals that the steps of a slider have. */
const digitsOf = (step: number): number => Math.max(0, -Math.floor(Math.log10(step)))

export function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme)
  useEffect(() => storeTheme(theme), [theme])
  return (
    <div class="theme">
      <Select aria-label="Theme" value={theme} options={named(themes)} onChange={setTheme} />
    </div>
  )
}

interface ConfirmProps {
  /** The label of the button and of its confirmation. */
  readonly label: string
  /** The subject of the action, for screen readers. */
  readonly about: string
  readonly question: string
  /** The consequences. */
  readonly children: ComponentChildren
  onConfirm(): Promise<unknown>
}

export function ConfirmButton({ label, about, question, children, onConfirm }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  const { isBusy, failure, act } = useAction()
  const close = (): void => dialog.current?.close()
  return (
    <>
      <Button
        label={label}
        aria-label={`${label} ${about}`}
        onClick={() => dialog.current?.showModal()}
      />
      <dialog ref={dialog} class="confirm" aria-labelledby={heading}>
        <h2 id={heading}>{question}</h2>
        <p>{children}</p>
        {failure && <Refused failure={failure} />}
        <div class="row">
          <Button label="Cancel" onClick={close} />
          <Button
            class="primary"
            label={label}
            disabled={isBusy}
            onClick={() => act(onConfirm(), close)}
          />
        </div>
      </dialog>
    </>
  )
}
