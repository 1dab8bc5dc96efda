// A long list as pages of a table: filter by name, navigation, and the details of an entry next to it.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import { unreachable } from '../api/request.ts'
import { useFetch } from '../api/use-fetch.ts'
import type { FetchState } from '../api/use-fetch.ts'
import { TextBox } from '../parts/inputs.tsx'
import { Answer, Empty, Refused } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'
import type { TableProps, TableRow } from '../parts/table.tsx'

interface PagedTableProps<T> extends Pick<TableProps, 'columns'> {
  readonly pages: Pages<{ readonly entries: readonly T[] }>
  /** The plural name of the entries, such as `items`. */
  readonly what: string
  readonly empty: ComponentChildren
  row(entry: T): TableRow
}

export function PagedTable<T>({ pages, what, columns, empty, row }: PagedTableProps<T>) {
  const { failure, value } = pages.fetched
  return (
    <>
      {/* The page says itself when the service is out of reach. */}
      {failure && value && failure.code !== unreachable && <Refused failure={failure} />}
      <Answer fetched={pages.fetched} what={what}>
        {({ entries }) =>
          entries.length === 0 ? (
            <Empty>{empty}</Empty>
          ) : (
            <Table label={what} columns={columns} rows={entries.map(row)} />
          )
        }
      </Answer>
      <Pager {...pages} what={what} />
    </>
  )
}

interface PagerProps extends Pick<Pages<unknown>, 'number' | 'next' | 'previous'> {
  /** The name of the list, for screen readers. */
  readonly what: string
}

function Pager({ what, number, next, previous }: PagerProps) {
  if (number === 1 && next === null && previous === null) return null
  return (
    <nav class="row pager" aria-label={`Pages of ${what}`}>
      <button type="button" disabled={!previous} onClick={() => previous?.()}>
        Previous
      </button>
      <span class="soft" aria-live="polite">
        Page {number}
      </span>
      <button type="button" disabled={!next} onClick={() => next?.()}>
        Next
      </button>
    </nav>
  )
}

interface AnyPage<Cursor> {
  readonly next: Cursor | null
}

interface Pages<P> {
  readonly fetched: FetchState<P>
  /** From 1. */
  readonly number: number
  /** Null if there is none. */
  readonly next: (() => void) | null
  readonly previous: (() => void) | null
}

/** `key` identifies the list; another list starts at its first page. */
export function usePages<Cursor, P extends AnyPage<Cursor>>(
  key: string,
  question: (cursor: Cursor | undefined, signal: AbortSignal) => Promise<P>,
): Pages<P> {
  const [{ of, cursors }, setPlace] = useState<{ of: string; cursors: readonly Cursor[] }>({
    of: key,
    cursors: [],
  })
  const used = of === key ? cursors : []
  useEffect(
    () => setPlace((before) => (before.of === key ? before : { of: key, cursors: [] })),
    [key],
  )
  const fetched = useFetch((signal) => question(used.at(-1), signal), [key, used.length])
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

interface PrefixFieldProps {
  readonly prefix: string
  setPrefix(prefix: string): void
}

export function PrefixField({ prefix, setPrefix }: PrefixFieldProps) {
  return (
    <label class="row narrow">
      Name begins with
      <TextBox type="search" value={prefix} onChange={setPrefix} />
    </label>
  )
}

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
