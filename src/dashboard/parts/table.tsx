// A table that scrolls horizontally on narrow screens, also with the keyboard.

import type { ComponentChildren } from 'preact'

export interface TableRow {
  readonly key: string | number
  /** One per column. */
  readonly cells: readonly ComponentChildren[]
  /** Whether the row is selected. */
  readonly isCurrent?: boolean
}

export interface TableProps {
  /** A description of the table. */
  readonly label: string
  /** A # prefix marks columns of numbers, a ~ prefix columns of long text. */
  readonly columns: readonly string[]
  readonly rows: readonly TableRow[]
}

/** The first column without numbers has the row headers. */
export function Table({ label, columns, rows }: TableProps) {
  const looks = columns.map((title) => ({ '#': 'number', '~': 'wraps' })[title[0]!] ?? '')
  const named = looks.findIndex((look) => look !== 'number')
  return (
    <div class="scroll steady" role="region" aria-label={label} tabIndex={0}>
      <table>
        <caption class="unseen">{label}</caption>
        <thead>
          <tr>
            {columns.map((title, i) => (
              <th key={title} scope="col" class={looks[i]}>
                {title.replace(/^[#~]/, '')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells, isCurrent }) => (
            <tr key={key} {...(isCurrent && { 'aria-current': true })}>
              {cells.map((cell, i) =>
                i === named ? (
                  <th key={i} scope="row" class={`plain ${looks[i]}`}>
                    {cell}
                  </th>
                ) : (
                  <td key={i} class={looks[i]}>
                    {cell}
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
