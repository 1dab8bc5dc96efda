// Reads a job of the service as a run that compares methods. Any client can start a job
// with any settings, so unreadable parts are left out.

import type { ExperimentResult } from '../../cli/experiment-runner.ts'
import type { Job } from '../../service/index.ts'
import { timeOfDay } from '../format.ts'

export interface Run {
  readonly job: Job
  readonly world: string
  readonly methods: readonly string[]
  /** Seeds and steps as text. */
  readonly extent: string
  /** A title that identifies the run. */
  readonly title: string
  /** The results so far; null before the first run has ended. */
  readonly result: ExperimentResult | null
}

export function runOf(job: Job): Run {
  const { world, methods, seeds = '1..3', worldSettings } = recordOf(job.request['settings'])
  const { steps } = recordOf(worldSettings)
  const name = typeof world === 'string' ? world : 'no world'
  const extent = [
    `seeds ${words(seeds)}`,
    ...(steps === undefined ? [] : [`${words(steps)} steps`]),
  ]
  return {
    job,
    world: name,
    methods: Array.isArray(methods) ? methods.map(methodName) : [],
    extent: extent.join(' · '),
    title: `${name}, ${timeOfDay(job.created)}`,
    result: resultOf(job.result ?? job.progress.data),
  }
}

export const hasFigures = ({ result }: Run): boolean => (result?.summary.methods.length ?? 0) > 0

const resultOf = (data: unknown): ExperimentResult | null =>
  'summary' in recordOf(data) ? (data as ExperimentResult) : null

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const methodName = (method: unknown): string => words(recordOf(method)['name'] ?? method)

const words = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)
