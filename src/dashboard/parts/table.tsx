// A table that scrolls by itself where the screen is narrower, with the keyboard too.

import type { ComponentChildren } from 'preact'

export interface TableRow {
  readonly key: string | number
  /** One a column. */
  readonly cells: readonly ComponentChildren[]
  /** Whether it is the one looked at. */
  readonly isCurrent?: boolean
}

export interface TableProps {
  /** What is in it. */
  readonly label: string
  /** Those that begin with # are of numbers, and those with ~ of words that may need many lines. */
  readonly columns: readonly string[]
  readonly rows: readonly TableRow[]
}

/** The first column that is not of numbers names the rows. */
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
