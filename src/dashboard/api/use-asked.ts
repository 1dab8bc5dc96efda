// An answer of the service in a component: asked for when what it depends on changes, and again
// when the connection comes back.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

import { Failure } from './ask.ts'
import { startPolling } from './poll.ts'
import { useStream } from './use-stream.ts'

export interface Asked<T> {
  /** The last answer, also while a newer one is on its way or was refused. */
  readonly value: T | null
  readonly failure: Failure | null
  readonly isLoading: boolean
  refresh(): void
}

export function useAsked<T>(
  question: (signal: AbortSignal) => Promise<T>,
  on: readonly unknown[],
  { everyMs }: { readonly everyMs?: number } = {},
): Asked<T> {
  const [answer, setAnswer] = useState<Pick<Asked<T>, 'value' | 'failure' | 'isLoading'>>({
    value: null,
    failure: null,
    isLoading: true,
  })
  const [round, setRound] = useState(0)
  const asked = useRef(question)
  asked.current = question
  const sentAt = useRef<number | null>(null)

  // Before the browser paints, which takes longer than to ask.
  useLayoutEffect(() => {
    const { signal, abort } = abortable()
    sentAt.current = performance.now()
    setAnswer((before) => ({ ...before, isLoading: true }))
    asked.current(signal).then(
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
  useEffect(() => {
    if (everyMs === undefined) return undefined
    const send = (): void => {
      if (!document.hidden) refresh()
    }
    return startPolling({ everyMs, sentAt: () => sentAt.current, send })
  }, [everyMs, refresh])
  useReturn(refresh)
  return { ...answer, refresh }
}

/** Calls when a connection that was lost is there again. */
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
