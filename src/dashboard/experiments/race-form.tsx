// The form that starts a race. Errors of the service appear at the field that they concern.

import type { AriaAttributes, ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'

import type { Job } from '../../service/index.ts'
import { api } from '../api/client.ts'
import type { Failure } from '../api/request.ts'
import { useAction } from '../api/use-fetch.ts'
import { Checks, Form, named, Select, TextBox } from '../parts/inputs.tsx'
import { Button, Panel } from '../parts/panel.tsx'
import { fieldOf, methods, raceRequest, defaultRace, worlds } from './race-request.ts'
import type { RaceField, RaceForm as FormValues } from './race-request.ts'

type RaceFormProps = Readonly<{ jobs: readonly Job[]; onStart(job: Job): void }>

export function RaceForm({ jobs, onStart }: RaceFormProps) {
  const [form, setForm] = useState(defaultRace)
  const { start, isBusy, refusal } = useStart(jobs, onStart)
  const set = (changes: Partial<FormValues>): void =>
    setForm((before) => ({ ...before, ...changes }))
  return (
    <Panel title="Start a run">
      <Form class="race-form" onSubmit={() => start(form)}>
        <Fields {...{ form, set, refusal }} />
        <Button type="submit" label="Start" disabled={isBusy} />
        <div role="alert">
          {refusal && fieldOf(refusal.path) === null && <p class="error">{refusal.message}</p>}
        </div>
      </Form>
    </Panel>
  )
}

function useStart(jobs: readonly Job[], onStart: (job: Job) => void) {
  const [started, setStarted] = useState('')
  const { isBusy, failure, act } = useAction()
  const start = (form: FormValues): void =>
    void act(api.startRun(raceRequest(form)), (job) => {
      setStarted(job.id)
      onStart(job)
    })
  // The service checks a run when it starts, so an accepted run can still be refused.
  const refusal = failure ?? jobs.find(({ id }) => id === started)?.error ?? null
  return { start, isBusy, refusal }
}

const worldOptions: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(worlds).map(([name, about]) => [name, `${name}: ${about}`]),
)

interface FieldsProps {
  readonly form: FormValues
  set(changes: Partial<FormValues>): void
  readonly refusal: Pick<Failure, 'message' | 'path'> | null
}

/** The text fields, with the part of the request that each concerns. */
const textFields = {
  more: { field: 'methods', label: 'More methods', hint: 'Such as sasrec+ren, tcn+lin-ucb' },
  steps: { field: 'steps', label: 'Steps', hint: "Defaults to the world's steps" },
  seeds: { field: 'seeds', label: 'Seeds', hint: '1..3 or 4,7' },
} as const

function Fields({ form, set, refusal }: FieldsProps) {
  const refusalOf = (field: RaceField): string =>
    refusal && fieldOf(refusal.path) === field ? refusal.message : ''
  const textField = (name: keyof typeof textFields) => {
    const { field, ...words } = textFields[name]
    return (
      <Field {...words} refusal={refusalOf(field)}>
        {(look) => (
          <TextBox
            {...look}
            {...(name === 'steps' && { type: 'number', min: 1 })}
            value={form[name]}
            onChange={(typed) => set({ [name]: typed })}
          />
        )}
      </Field>
    )
  }
  return (
    <>
      <Field label="World" refusal={refusalOf('world')}>
        {(look) => (
          <Select
            {...look}
            value={form.world}
            options={worldOptions}
            onChange={(world) => set({ world })}
          />
        )}
      </Field>
      <Methods {...{ form, set }} />
      {textField('more')}
      <div class="race-numbers">
        {textField('steps')}
        {textField('seeds')}
      </div>
    </>
  )
}

/** The first selected method is the base of the comparison. */
const Methods = ({ form, set }: Pick<FieldsProps, 'form' | 'set'>) => (
  <fieldset>
    <legend>Methods</legend>
    <div class="choices">
      <Checks
        options={named(Object.keys(methods))}
        titles={methods}
        chosen={form.methods}
        onChange={(chosen) => set({ methods: chosen })}
      />
    </div>
  </fieldset>
)

interface FieldProps {
  readonly label: string
  readonly hint?: string
  /** Empty if there is no error. */
  readonly refusal: string
  /** Receives the attributes that connect the input with its label and hint. */
  readonly children: (look: AriaAttributes & { readonly id: string }) => ComponentChildren
}

function Field({ label, hint, refusal, children }: FieldProps) {
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
