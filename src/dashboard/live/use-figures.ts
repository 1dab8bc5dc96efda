// The figures of the service, asked for once and then kept up by the stream.

import { useLayoutEffect, useState } from 'preact/hooks'

import type { ServiceMetrics } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useAsked } from '../api/use-asked.ts'
import type { Asked } from '../api/use-asked.ts'
import { useStream, useStreamEvents } from '../api/use-stream.ts'
import { addSample, eventRate } from './event-rate.ts'
import type { Sample } from './event-rate.ts'
import { mergeSeries } from './reward-series.ts'

export interface LiveFigures {
  readonly metrics: ServiceMetrics
  /** The service's clock, as far as it has told. */
  readonly now: number
  /** Of the last event; null until the stream has told. */
  readonly position: number | null
  /** Null also while nobody tells. */
  readonly eventsPerSecond: number | null
}

export function useFigures(): Asked<LiveFigures> {
  const asked = useAsked(api.metrics, [])
  const { connection } = useStream()
  const [metrics, setMetrics] = useState<ServiceMetrics | null>(null)
  const [samples, setSamples] = useState<readonly Sample[]>([])
  const take = (news: ServiceMetrics): void =>
    setMetrics((held) => ({ ...news, series: mergeSeries(held?.series ?? [], news.series) }))

  useLayoutEffect(() => {
    if (asked.value) take(asked.value)
  }, [asked.value])
  useStreamEvents('metrics', ({ time, position, metrics: news }) => {
    // Before the whole answer there is nothing to keep up.
    if (metrics) take(news)
    setSamples((before) => addSample(before, { time, position }))
  })
  const last = samples.at(-1)
  const value = metrics && {
    metrics,
    now: last?.time ?? metrics.series.at(-1)?.time ?? 0,
    position: last?.position ?? null,
    eventsPerSecond: connection === 'open' ? eventRate(samples) : null,
  }
  return { ...asked, value }
}
