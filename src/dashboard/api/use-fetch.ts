// Responses of the service in components: fetched when dependencies change, polled, fetched again when the
// connection returns, and requests that a button sends.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

import { Failure } from './request.ts'
import { useStream } from './stream.ts'

export interface FetchState<T> {
  /** The last response, also while a newer request is in progress or has failed. */
  readonly value: T | null
  readonly failure: Failure | null
  readonly isLoading: boolean
  refresh(): void
}

export function useFetch<T>(
  question: (signal: AbortSignal) => Promise<T>,
  on: readonly unknown[],
  { everyMs }: { readonly everyMs?: number } = {},
): FetchState<T> {
  const [answer, setAnswer] = useState<Pick<FetchState<T>, 'value' | 'failure' | 'isLoading'>>({
    value: null,
    failure: null,
    isLoading: true,
  })
  const [round, setRound] = useState(0)
  const fetched = useRef(question)
  fetched.current = question
  const sentAt = useRef<number | null>(null)

  // Sent before the browser paints, which takes longer than sending.
  useLayoutEffect(() => {
    const { signal, abort } = abortable()
    sentAt.current = performance.now()
    setAnswer((before) => ({ ...before, isLoading: true }))
    fetched.current(signal).then(
      (value) => {
        if (signal.aborted) return
        sentAt.current = null
        setAnswer({ value, failure: null, isLoading: false })
      },
      (error: unknown) => {
        if (signal.aborted) return
        sentAt.current = null
        const failure = error instanceof Failure ? error : new Failure('internal', String(error))
        setAnswer(({ value }) => ({ value, failure, isLoading: false }))
      },
    )
    return abort
  }, [...on, round])

  const refresh = useCallback(() => setRound((before) => before + 1), [])
  usePolling(everyMs, sentAt, refresh)
  useReturn(refresh)
  return { ...answer, refresh }
}

/** Sends the request again at the interval, while the page is visible. */
function usePolling(
  everyMs: number | undefined,
  sentAt: { readonly current: number | null },
  refresh: () => void,
): void {
  useEffect(() => {
    if (everyMs === undefined) return undefined
    const send = (): void => {
      if (!document.hidden) refresh()
    }
    return startPolling({ everyMs, sentAt: () => sentAt.current, send })
  }, [everyMs, refresh])
}

/** Calls `back` when a lost connection returns. */
function useReturn(back: () => void): void {
  const { connection } = useStream()
  const wasLost = useRef(false)
  useEffect(() => {
    if (connection === 'open' && wasLost.current) back()
    wasLost.current = connection === 'lost'
  }, [connection, back])
}

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

interface PollOptions {
  readonly everyMs: number
  /** `performance.now()` when the request under way was sent; null if there is none. */
  readonly sentAt: () => number | null
  readonly send: () => void
}

/** After this many milliseconds without an answer, a request is sent again. */
export const patienceMs = 60_000

/** Polls until the returned function is called. */
export function startPolling({ everyMs, sentAt, send }: PollOptions): () => void {
  const timer = setInterval(() => {
    const sent = sentAt()
    if (sent === null || performance.now() - sent >= patienceMs) send()
  }, everyMs)
  return () => clearInterval(timer)
}

interface Action {
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
