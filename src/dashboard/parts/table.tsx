// A table that scrolls by itself where the screen is narrower, with the keyboard too.

import type { ComponentChildren } from 'preact'

interface TableProps {
  /** What is in it. */
  readonly label: string
  /** Those that begin with # are of numbers. */
  readonly columns: readonly string[]
  /** Its rows. */
  readonly children: ComponentChildren
}

export function Table({ label, columns, children }: TableProps) {
  return (
    <div class="scroll steady" role="region" aria-label={label} tabIndex={0}>
      <table>
        <caption class="unseen">{label}</caption>
        <Head columns={columns} />
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

export function Head({ columns }: Pick<TableProps, 'columns'>) {
  return (
    <thead>
      <tr>
        {columns.map((title) => (
          <th key={title} scope="col" {...(title.startsWith('#') && { class: 'number' })}>
            {title.replace('#', '')}
          </th>
        ))}
      </tr>
    </thead>
  )
}
