// Facts by name.

import type { ComponentChildren } from 'preact'

interface FactsProps {
  readonly of: Readonly<Record<string, ComponentChildren>>
  /** How they stand: beside each other unless set. */
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
