// A titled part of a view.

import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface PanelProps {
  readonly title: string
  /** Content next to the title: a unit, a filter, a button. */
  readonly aside?: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
}

export function Panel({ title, aside, class: extra = '', children }: PanelProps) {
  const heading = useId()
  return (
    <section class={`panel ${extra}`} aria-labelledby={heading}>
      <div class="panel-head">
        <h2 id={heading}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}
