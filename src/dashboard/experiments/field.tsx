// A form field with its label and a hint, which an error replaces.

import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

import { TextBox } from '../parts/inputs.tsx'

/** Attributes that connect the input with its label and hint. */
interface Look {
  readonly id: string
  readonly 'aria-describedby': string
  readonly 'aria-invalid': boolean
}

interface FieldWords {
  readonly label: string
  readonly hint?: string
  /** Empty if there is no error. */
  readonly refusal: string
}

interface FieldProps extends FieldWords {
  readonly children: (look: Look) => ComponentChildren
}

export function Field({ label, hint, refusal, children }: FieldProps) {
  const id = useId()
  const notes = `${id}-notes`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': notes, 'aria-invalid': refusal !== '' })}
      <div id={notes} aria-live="polite">
        {refusal === '' ? <span class="soft">{hint}</span> : <span class="error">{refusal}</span>}
      </div>
    </div>
  )
}

interface TextFieldProps extends FieldWords {
  /** Whole numbers from 1. */
  readonly isNumber?: true
  readonly value: string
  onChange(value: string): void
}

export function TextField({ isNumber, value, onChange, ...words }: TextFieldProps) {
  return (
    <Field {...words}>
      {(look) => (
        <TextBox
          {...look}
          {...(isNumber && { type: 'number' as const, min: 1 })}
          {...{ value, onChange }}
        />
      )}
    </Field>
  )
}
