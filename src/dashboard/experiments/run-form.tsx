// The form that starts a run. Errors of the service appear at the field that they concern.

import type { AriaAttributes, ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'

import type { Job } from '../../service/index.ts'
import { api } from '../api/client.ts'
import type { Failure } from '../api/request.ts'
import { useAction } from '../api/use-fetch.ts'
import { Checks, Form, named, Select, TextBox } from '../parts/inputs.tsx'
import { Button, Panel } from '../parts/panel.tsx'
import { fieldOf, methods, runRequest, defaultRun, worlds } from './run-request.ts'
import type { RunField, RunForm as FormValues } from './run-request.ts'

type RunFormProps = Readonly<{ jobs: readonly Job[]; onStart(job: Job): void }>

export function RunForm({ jobs, onStart }: RunFormProps) {
  const [form, setForm] = useState(defaultRun)
  const { start, isBusy, refusal } = useStart(jobs, onStart)
  const set = (changes: Partial<FormValues>): void =>
    setForm((before) => ({ ...before, ...changes }))
  return (
    <Panel title="Start a run">
      <Form class="run-form" onSubmit={() => start(form)}>
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
    void act(api.startRun(runRequest(form)), (job) => {
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

function Fields({ form, set, refusal }: FieldsProps) {
  /** The field with its error. */
  const at = (field: RunField) => ({
    refusal: refusal && fieldOf(refusal.path) === field ? refusal.message : '',
  })
  const box =
    (name: 'more' | 'steps' | 'seeds', more = {}) =>
    (look: Look) => (
      <TextBox
        {...look}
        {...more}
        value={form[name]}
        onChange={(typed) => set({ [name]: typed })}
      />
    )
  return (
    <>
      <Field label="World" {...at('world')}>
        {(look) => <WorldChoice {...{ form, set, look }} />}
      </Field>
      <Methods {...{ form, set }} />
      <Field label="More methods" hint="Such as sasrec+ren, tcn+lin-ucb" {...at('methods')}>
        {box('more')}
      </Field>
      <div class="run-numbers">
        <Field label="Steps" hint="Defaults to the world's steps" {...at('steps')}>
          {box('steps', { type: 'number', min: 1 })}
        </Field>
        <Field label="Seeds" hint="1..3 or 4,7" {...at('seeds')}>
          {box('seeds')}
        </Field>
      </div>
    </>
  )
}

type WorldProps = Pick<FieldsProps, 'form' | 'set'> & { readonly look: Look }

const WorldChoice = ({ form, set, look }: WorldProps) => (
  <Select
    {...look}
    value={form.world}
    options={worldOptions}
    onChange={(world) => set({ world })}
  />
)

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
  readonly children: (look: Look) => ComponentChildren
}

/** The attributes that connect an input with its label and hint. */
type Look = AriaAttributes & { readonly id: string }

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
