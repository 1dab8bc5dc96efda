// The details of a list entry, next to the list. Opening them moves the focus there.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface DetailsProps {
  readonly title: string
  /** The URL after closing. */
  readonly back: string
  readonly children: ComponentChildren
}

export function Details({ title, back, children }: DetailsProps) {
  const place = useRef<HTMLElement>(null)
  useEffect(() => place.current?.focus(), [])
  return (
    <section class="panel details" ref={place} tabIndex={-1} aria-label={title}>
      <div class="panel-head">
        <h2>{title}</h2>
        <a href={back}>Close</a>
      </div>
      {children}
    </section>
  )
}
