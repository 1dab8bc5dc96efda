// A long list as pages of a table: filter by name, navigation, and the details of an entry next to it.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import { unreachable } from '../api/request.ts'
import { useFetch, type FetchState } from '../api/use-fetch.ts'
import { TextBox } from '../parts/inputs.tsx'
import { Button, Loaded, Refused } from '../parts/panel.tsx'
import { Table, type TableProps } from '../parts/table.tsx'

interface PagedTableProps<T> extends Omit<TableProps<T>, 'label' | 'rows'> {
  readonly pages: Pages<{ readonly entries: readonly T[] }>
  /** The plural name of the entries, such as `items`. */
  readonly what: string
}

export function PagedTable<T>({ pages, what, ...table }: PagedTableProps<T>) {
  const { number, next, previous, fetched } = pages
  const { failure, value } = fetched
  return (
    <>
      {/* The banner of the page reports an unreachable service. */}
      {failure && value && failure.code !== unreachable && <Refused failure={failure} />}
      <Loaded fetched={fetched} what={what}>
        {({ entries }) => <Table {...table} label={what} rows={entries} />}
      </Loaded>
      {(next ?? previous) && (
        <nav class="row pager" aria-label={`Pages of ${what}`}>
          <Button label="Previous" disabled={!previous} onClick={() => previous?.()} />
          <span class="soft" aria-live="polite">
            Page {number}
          </span>
          <Button label="Next" disabled={!next} onClick={() => next?.()} />
        </nav>
      )}
    </>
  )
}

interface Pages<P> {
  readonly fetched: FetchState<P>
  /** Starts at 1. */
  readonly number: number
  /** Null if there is none. */
  readonly next: (() => void) | null
  readonly previous: (() => void) | null
}

/** `key` identifies the list; another list starts at its first page. */
export function usePages<Cursor, P extends { readonly next: Cursor | null }>(
  key: string,
  request: (cursor: Cursor | undefined, signal: AbortSignal) => Promise<P>,
): Pages<P> {
  const [{ of, cursors }, setPlace] = useState({ of: key, cursors: [] as readonly Cursor[] })
  const used = of === key ? cursors : []
  useEffect(() => {
    if (of !== key) setPlace({ of: key, cursors: [] })
  }, [key])
  const fetched = useFetch((signal) => request(used.at(-1), signal), [key, used.length])
  const next = fetched.value?.next ?? null
  // A second click would load the same page.
  const goTo = (to: readonly Cursor[]): void => {
    if (!fetched.isLoading) setPlace({ of: key, cursors: to })
  }
  return {
    fetched,
    number: used.length + 1,
    next: next === null ? null : () => goTo([...used, next]),
    previous: used.length === 0 ? null : () => goTo(used.slice(0, -1)),
  }
}

type PrefixFieldProps = Readonly<{ prefix: string; setPrefix(prefix: string): void }>

export const PrefixField = ({ prefix, setPrefix }: PrefixFieldProps) => (
  <label class="row narrow">
    Name begins with
    <TextBox type="search" value={prefix} onChange={setPrefix} />
  </label>
)

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
