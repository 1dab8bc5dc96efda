// Responses of the service in components: fetched when dependencies change, polled, fetched again when the
// connection returns, and requests that a button sends.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

import { Failure } from './request.ts'
import { useConnection } from './stream.ts'

export interface FetchState<T> {
  /** The last response, also while a newer request is in progress or has failed. */
  readonly value: T | null
  readonly failure: Failure | null
  readonly isLoading: boolean
  refresh(): void
}

const initialState = { value: null, failure: null, isLoading: true }

export function useFetch<T>(
  request: (signal: AbortSignal) => Promise<T>,
  dependencies: readonly unknown[],
  { everyMs }: { readonly everyMs?: number } = {},
): FetchState<T> {
  const [state, setState] = useState<Omit<FetchState<T>, 'refresh'>>(initialState)
  const [round, setRound] = useState(0)
  const latest = useRef(request)
  latest.current = request
  const sentAt = useRef<number | null>(null)

  // Sent before the browser paints, because painting is slower than sending.
  useLayoutEffect(() => {
    const controller = new AbortController()
    const settle = (result: { value?: T; failure: Failure | null }): void => {
      if (controller.signal.aborted) return
      sentAt.current = null
      setState((before) => ({ ...before, ...result, isLoading: false }))
    }
    sentAt.current = performance.now()
    setState((before) => ({ ...before, isLoading: true }))
    latest.current(controller.signal).then(
      (value) => settle({ value, failure: null }),
      (error: unknown) => settle({ failure: failureFrom(error) }),
    )
    return () => controller.abort()
  }, [...dependencies, round])

  const refresh = useCallback(() => setRound((before) => before + 1), [])
  usePolling(everyMs, sentAt, refresh)
  useReconnect(refresh)
  return { ...state, refresh }
}

const failureFrom = (error: unknown): Failure =>
  error instanceof Failure ? error : new Failure('internal', String(error))

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

/** Calls `refresh` when a lost connection returns. */
function useReconnect(refresh: () => void): void {
  const connection = useConnection()
  const wasLost = useRef(false)
  useEffect(() => {
    if (connection === 'open' && wasLost.current) refresh()
    wasLost.current = connection === 'lost'
  }, [connection, refresh])
}

type PollOptions = Readonly<{ everyMs: number; sentAt(): number | null; send(): void }>

/** A request without a response is sent again after this time. */
export const patienceMs = 60_000

/**
 * Polls until the returned function is called. `sentAt` returns `performance.now()` of when the pending
 * request was sent, or null if there is none.
 */
export function startPolling({ everyMs, sentAt, send }: PollOptions): () => void {
  const timer = setInterval(() => {
    const sent = sentAt()
    if (sent === null || performance.now() - sent >= patienceMs) send()
  }, everyMs)
  return () => clearInterval(timer)
}

/** The state of a request that a button sends: whether it is in progress, and its failure. */
export function useAction() {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  /** Passes the response to `onDone`. */
  const act = async <T>(request: Promise<T>, onDone?: (response: T) => void): Promise<void> => {
    setBusy(true)
    setFailure(null)
    await request.then(onDone).catch(setFailure)
    setBusy(false)
  }
  return { isBusy, failure, act }
}
