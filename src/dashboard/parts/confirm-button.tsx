// A button that asks once more before it does what cannot be undone.

import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'

import { useAction } from '../api/use-action.ts'
import { Refused } from './states.tsx'

interface ConfirmProps {
  /** On the button, and on the one that means it. */
  readonly label: string
  /** What the button is about, for those who hear it among others like it. */
  readonly about: string
  readonly question: string
  /** What will happen. */
  readonly children: ComponentChildren
  onConfirm(): Promise<unknown>
}

export function ConfirmButton({ label, about, question, children, onConfirm }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  const { isBusy, failure, act } = useAction()
  const close = (): void => dialog.current?.close()
  return (
    <>
      <button
        type="button"
        aria-label={`${label} ${about}`}
        onClick={() => dialog.current?.showModal()}
      >
        {label}
      </button>
      <dialog ref={dialog} class="confirm" aria-labelledby={heading}>
        <h2 id={heading}>{question}</h2>
        <p>{children}</p>
        {failure && <Refused failure={failure} />}
        <div class="row">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button
            type="button"
            class="primary"
            disabled={isBusy}
            onClick={() => act(onConfirm(), close)}
          >
            {label}
          </button>
        </div>
      </dialog>
    </>
  )
}
