// Something that is asked of the service by a button: whether it is under way, and how it was refused.

import { useState } from 'preact/hooks'

import type { Failure } from './ask.ts'

export interface Action {
  readonly isBusy: boolean
  /** Of the last time. */
  readonly failure: Failure | null
  /** Hands on what is answered. */
  act<T>(asking: Promise<T>, then?: (answer: T) => void): Promise<void>
}

export function useAction(): Action {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  const act = async <T>(asking: Promise<T>, then?: (answer: T) => void): Promise<void> => {
    setBusy(true)
    setFailure(null)
    await asking.then(then).catch(setFailure)
    setBusy(false)
  }
  return { isBusy, failure, act }
}
