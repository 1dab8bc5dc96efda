// A list of names and values.

import type { ComponentChildren } from 'preact'

interface FactsProps {
  readonly of: Readonly<Record<string, ComponentChildren>>
  /** CSS class of the layout; defaults to side by side. */
  readonly class?: string
}

export function Facts({ of, class: look = 'facts' }: FactsProps) {
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
