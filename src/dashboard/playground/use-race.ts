// The race of the page. Each race has one worker, which ends when the next race starts.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

import type { FromWorker, ToWorker } from './messages.ts'
import type { RaceSetup } from './race.ts'

export type Progress = Extract<FromWorker, { kind: 'progress' }>

export interface RaceOfPage {
  readonly setup: RaceSetup | null
  readonly progress: Progress | null
  readonly failure: string | null
  /** As confirmed by the worker. */
  readonly isPaused: boolean
  start(setup: RaceSetup): void
  pause(): void
  resume(): void
}

export function useRace(): RaceOfPage {
  const worker = useRef<Worker | null>(null)
  const [setup, setSetup] = useState<RaceSetup | null>(null)
  const [progress, setProgress] = useState<Progress | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [isPaused, setPaused] = useState(false)
  const say = useCallback((message: ToWorker) => worker.current?.postMessage(message), [])
  useEffect(() => () => worker.current?.terminate(), [])

  const start = useCallback((next: RaceSetup) => {
    worker.current?.terminate()
    const started = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    started.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === 'failed') setFailure(data.message)
      else if (data.kind === 'paused') setPaused(true)
      else setProgress(data)
    })
    // A script that fails to load is an error without a message.
    started.addEventListener('error', ({ message }) =>
      setFailure(message || 'The worker could not be started.'),
    )
    worker.current = started
    setSetup(next)
    setProgress(null)
    setFailure(null)
    setPaused(false)
    say({ kind: 'start', setup: next })
  }, [])
  const pause = useCallback(() => say({ kind: 'pause' }), [])
  const resume = useCallback(() => {
    setPaused(false)
    say({ kind: 'resume' })
  }, [])
  return { setup, progress, failure, isPaused, start, pause, resume }
}
