// A button that asks for confirmation before an irreversible action.

import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'

import { useAction } from '../api/use-action.ts'
import { Refused } from './states.tsx'

interface ConfirmProps {
  /** The label of the button and of its confirmation. */
  readonly label: string
  /** The subject of the action, for screen readers. */
  readonly about: string
  readonly question: string
  /** The consequences. */
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
