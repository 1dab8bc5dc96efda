// The metrics of the service, fetched once and then updated by the stream, with the rate of events.

import { useLayoutEffect, useState } from 'preact/hooks'

import type { ServiceMetrics } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useConnection, useStreamEvents } from '../api/stream.ts'
import { useFetch, type FetchState } from '../api/use-fetch.ts'
import { mergeSeries } from './reward-series.ts'

export interface LiveFigures {
  readonly metrics: ServiceMetrics
  /** The latest known time of the service. */
  readonly now: number
  /** The position of the last event; null before the first message of the stream. */
  readonly position: number | null
  /** Null without messages of the stream. */
  readonly eventsPerSecond: number | null
}

export function useFigures(): FetchState<LiveFigures> {
  const fetched = useFetch(api.metrics, [])
  const connection = useConnection()
  const [metrics, setMetrics] = useState<ServiceMetrics | null>(null)
  const [samples, setSamples] = useState<readonly Sample[]>([])
  const update = (received: ServiceMetrics): void =>
    setMetrics((held) => ({
      ...received,
      series: mergeSeries(held?.series ?? [], received.series),
    }))

  useLayoutEffect(() => {
    if (fetched.value) update(fetched.value)
  }, [fetched.value])
  useStreamEvents('metrics', ({ time, position, metrics: received }) => {
    // Updates need the full response first.
    if (metrics) update(received)
    setSamples((before) => addSample(before, { time, position }))
  })
  const last = samples.at(-1)
  const value = metrics && {
    metrics,
    now: last?.time ?? metrics.series.at(-1)?.time ?? 0,
    position: last?.position ?? null,
    eventsPerSecond: connection === 'open' ? eventRate(samples) : null,
  }
  return { ...fetched, value }
}

/** `time` is in milliseconds since 1970. */
export type Sample = Readonly<{ time: number; position: number }>

const spanMs = 10_000

/** If the clock or the log goes back, earlier samples are discarded. */
export function addSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1)
  if (last && (sample.time <= last.time || sample.position < last.position)) return [sample]
  return [...samples.filter(({ time }) => time >= sample.time - spanMs), sample]
}

/** Null until there are two samples. */
export function eventRate(samples: readonly Sample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last || first === last) return null
  return (1000 * (last.position - first.position)) / (last.time - first.time)
}
