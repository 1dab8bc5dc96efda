// A table that scrolls horizontally on narrow screens, also with the keyboard.

import type { ComponentChildren } from 'preact'

import { Empty } from './panel.tsx'

export interface TableProps<T> {
  /** A description of the table. */
  readonly label: string
  /** The cell of each column, by title. A # prefix marks columns of numbers, a ~ prefix long text. */
  readonly columns: Readonly<Record<string, (row: T, index: number) => ComponentChildren>>
  readonly rows: readonly T[]
  /** Defaults to the index of the row. */
  readonly rowKey?: (row: T) => string | number
  /** Whether the row is selected. */
  readonly isCurrent?: (row: T) => boolean
  /** Shown instead of a table without rows. */
  readonly empty?: ComponentChildren
}

/** The first column without numbers has the row headers. */
export function Table<T>({ label, columns, rows, rowKey, isCurrent, empty }: TableProps<T>) {
  if (rows.length === 0 && empty !== undefined) return <Empty>{empty}</Empty>
  const titles = Object.keys(columns)
  const looks = titles.map((title) => ({ '#': 'number', '~': 'wraps' })[title[0]!] ?? '')
  const named = looks.findIndex((look) => look !== 'number')
  return (
    <div class="scroll steady" role="region" aria-label={label} tabIndex={0}>
      <table>
        <caption class="unseen">{label}</caption>
        <thead>
          <tr>
            {titles.map((title, i) => (
              <th key={title} scope="col" class={looks[i]}>
                {title.replace(/^[#~]/, '')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={rowKey?.(row) ?? index} {...(isCurrent?.(row) && { 'aria-current': true })}>
              {Object.values(columns).map((cellOf, i) =>
                i === named ? (
                  <th key={i} scope="row" class={`plain ${looks[i]}`}>
                    {cellOf(row, index)}
                  </th>
                ) : (
                  <td key={i} class={looks[i]}>
                    {cellOf(row, index)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
