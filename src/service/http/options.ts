// The options of a server and their defaults.

import { describeValue } from '../../core/describe-value.ts'
import { invalid } from '../../core/errors.ts'
import type { DemoControl, Importer, RunRunner } from '../runs.ts'
import { safeLogging, type LogHandler } from '../settings.ts'
import { labelDefaults, requireImageHosts, type LabelSettings } from './labels.ts'
import type { StreamSettings } from './stream.ts'

/** Settings of {@link createServer}. */
export interface ServerOptions extends Partial<LabelSettings> {
  /**
   * Allowed Host headers besides the address of the server, with or without a port. Defaults to
   * none.
   */
  readonly allowedHosts?: readonly string[]
  /**
   * Other sites whose pages may send requests, such as `https://shop.example`. Defaults to none.
   */
  readonly allowedOrigins?: readonly string[]
  /**
   * Maximum requests per second and key, or address without a key; false disables the limit. Probes
   * are exempt. Defaults to 1000 if requests need a key, and to no limit otherwise.
   */
  readonly rateLimit?: number | false
  /** Runs the experiments of `POST /v1/runs`. If absent, the server refuses them. */
  readonly runner?: RunRunner
  /** Runs the imports of `POST /v1/imports`. If absent, the server refuses them. */
  readonly importer?: Importer
  /** The folder of the built dashboard, served at /. If absent, the server has no dashboard. */
  readonly page?: string
  /** The demo that runs against the service. If absent, the dashboard shows none. */
  readonly demo?: DemoControl
  /** Whether closing the server closes the service. Defaults to false. */
  readonly ownsService?: boolean
  /** Called after each request, for an access log. Defaults to no access log. */
  readonly onRequest?: (line: RequestLine) => void
  /** Receives messages for the operator. Defaults to writing them to standard error. */
  readonly onLogMessage?: LogHandler
  /**
   * Limits and intervals of the stream of live events. Defaults to the values in `StreamSettings`.
   */
  readonly stream?: Partial<StreamSettings>
  /** Milliseconds since 1970. Defaults to `Date.now`. */
  readonly clock?: () => number
}

/** A line of an access log. It contains no keys, bodies or names. */
export interface RequestLine {
  /** The HTTP method. */
  readonly method: string
  /** The pattern of the path, such as /v1/items/:item. */
  readonly route: string
  /** The HTTP status of the response. */
  readonly status: number
  /** Milliseconds until the response was complete. */
  readonly ms: number
}

/** The default address. */
export const address = { host: '127.0.0.1', port: 7700 } as const

const defaults = {
  ...labelDefaults,
  allowedHosts: [],
  allowedOrigins: [],
  ownsService: false,
  onLogMessage: ({ level, message }) => console.error(`${level}: ${message}`),
  clock: Date.now,
} satisfies ServerOptions

export type CompleteOptions = ReturnType<typeof completeOptions>

export function completeOptions(options: ServerOptions) {
  const { onLogMessage } = { ...defaults, ...options }
  const complete = { ...defaults, ...options, onLogMessage: safeLogging(onLogMessage) }
  const { rateLimit }: ServerOptions = options
  requireImageHosts(complete.imageHosts)
  if (rateLimit === undefined || rateLimit === false) return complete
  if (Number.isInteger(rateLimit) && rateLimit > 0) return complete
  throw invalid(`rateLimit must be a positive integer or false, got ${describeValue(rateLimit)}`)
}
