// Buttons, titled panels, lists of facts, progress bars, and placeholders for data that is loading, empty or refused.

import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

import type { Failure } from '../api/request.ts'
import type { FetchState } from '../api/use-fetch.ts'
import { percent } from '../format.ts'

interface ButtonProps {
  readonly label: ComponentChildren
  /** The subject of the action, for screen readers. */
  readonly about?: string
  /** Defaults to a button that does not submit a form. */
  readonly type?: 'submit'
  readonly class?: string
  readonly title?: string
  readonly disabled?: boolean
  readonly 'aria-label'?: string
  onClick?(): unknown
}

export const Button = ({ label, about, ...rest }: ButtonProps) => (
  <button type="button" {...rest}>
    {label}
    {about !== undefined && <span class="unseen"> {about}</span>}
  </button>
)

interface PanelProps {
  readonly title: string
  /** Text next to the title, such as a unit. */
  readonly note?: ComponentChildren
  /** Other content next to the title, such as a filter or a button. */
  readonly aside?: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
}

export function Panel({ title, note, aside, class: extra = '', children }: PanelProps) {
  const heading = useId()
  return (
    <section class={`panel ${extra}`} aria-labelledby={heading}>
      <div class="panel-head">
        <h2 id={heading}>{title}</h2>
        {note !== undefined && <span class="soft small">{note}</span>}
        {aside}
      </div>
      {children}
    </section>
  )
}

interface FactsProps {
  readonly of: Readonly<Record<string, ComponentChildren>>
  /** CSS class of the layout; defaults to side by side. */
  readonly class?: string
  /** Shown instead of an empty list. */
  readonly empty?: string
}

export function Facts({ of, class: look = 'facts', empty }: FactsProps) {
  if (empty !== undefined && Object.keys(of).length === 0) return <p class="soft">{empty}</p>
  return (
    <dl class={look}>
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface ProgressProps {
  readonly label: string
  /** From 0 to 1; null if unknown. */
  readonly share: number | null
}

export const ProgressBar = ({ label, share }: ProgressProps) => (
  <progress
    aria-label={label}
    max={1}
    {...(share !== null && { value: share })}
    title={share === null ? label : percent(share)}
  />
)

export const Loading = ({ what }: { readonly what: string }) => (
  <p class="state" role="status">
    <span class="spinner" aria-hidden="true" /> Loading {what} …
  </p>
)

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="state">{children}</p>
}

export const Refused = ({ failure, retry }: { readonly failure: Failure; retry?: () => void }) => (
  <div class="state error" role="alert">
    <p>
      {failure.message} <code>{failure.code}</code>
    </p>
    {retry && <Button label="Retry" onClick={retry} />}
  </div>
)

/** The value or a placeholder. An older value remains if a newer request fails. */
export function Loaded<T>({
  fetched: { value, failure, refresh },
  what,
  children,
}: {
  readonly fetched: FetchState<T>
  /** The name of the data, such as `items`. */
  readonly what: string
  readonly children: (value: T) => ComponentChildren
}) {
  if (value !== null) return <>{children(value)}</>
  if (failure) return <Refused failure={failure} retry={refresh} />
  return <Loading what={what} />
}
