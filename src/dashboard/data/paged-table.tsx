// A page of a long list as a table, with navigation.

import type { ComponentChildren } from 'preact'

import { unreachable } from '../api/request.ts'
import { Answer, Empty, Refused } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import type { TableProps, TableRow } from '../parts/table.tsx'
import { Pager } from './pager.tsx'
import type { Pages } from './use-pages.ts'

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
