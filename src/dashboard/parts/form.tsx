// A form that the page handles itself.

import type { ComponentChildren } from 'preact'

interface FormProps {
  readonly class: string
  readonly children: ComponentChildren
  onSubmit(): void
}

export function Form({ onSubmit, ...rest }: FormProps) {
  return (
    <form
      {...rest}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    />
  )
}
