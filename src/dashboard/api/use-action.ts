// The state of a request that a button sends: whether it is in progress, and its failure.

import { useState } from 'preact/hooks'

import type { Failure } from './request.ts'

export interface Action {
  readonly isBusy: boolean
  /** The failure of the last request. */
  readonly failure: Failure | null
  /** Passes the response to `onDone`. */
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
