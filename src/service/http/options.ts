// The options of a server and their defaults.

import { describeValue } from '../../core/describe-value.ts'
import { RenError } from '../../core/errors.ts'
import type { DemoControl, Importer, RunRunner } from '../runs.ts'
import { safeLogging } from '../settings.ts'
import type { LogMessage } from '../settings.ts'
import { labelDefaults, requireImageHosts } from './labels.ts'
import type { LabelSettings } from './labels.ts'
import type { StreamSettings } from './stream.ts'

/**
 * Settings of {@link createServer}. By default, the dashboard takes an item's title from the
 * attribute `title` or `name`, and its image from `image`.
 */
export interface ServerOptions extends Partial<LabelSettings> {
  /** Names that the server may be asked by besides its address, with or without a port. */
  readonly allowedHosts?: readonly string[]
  /** Other sites whose pages may ask, such as `https://shop.example`. */
  readonly allowedOrigins?: readonly string[]
  /** Maximum of requests per second of one key, or of one address without a key; false for no limit. */
  readonly rateLimit?: number | false
  /** Does what POST /v1/runs asks for. */
  readonly runner?: RunRunner
  /** Does what POST /v1/imports asks for. */
  readonly importer?: Importer
  /** The folder of the built dashboard, served at /. */
  readonly page?: string
  /** A simulated world that runs against the service, and how to pause it. */
  readonly demo?: DemoControl
  /** Whether closing the server closes the service. */
  readonly ownsService?: boolean
  /** Called for each answer, without keys, bodies and names in paths. */
  readonly onRequest?: (line: RequestLine) => void
  /** Receives messages for the operator. Defaults to writing them to standard error. */
  readonly onLogMessage?: (logMessage: LogMessage) => void
  readonly stream?: Partial<StreamSettings>
  /** Milliseconds since 1970. Defaults to the machine's clock. */
  readonly clock?: () => number
}

/** One answered request, for an access log. It contains no keys, bodies or names. */
export interface RequestLine {
  readonly method: string
  /** As a pattern, such as /v1/items/:item. */
  readonly route: string
  readonly status: number
  readonly ms: number
}

/** The default address. */
export const address = { host: '127.0.0.1', port: 7700 } as const

type Defaulted =
  | keyof LabelSettings
  | 'allowedHosts'
  | 'allowedOrigins'
  | 'rateLimit'
  | 'ownsService'
  | 'onLogMessage'
  | 'clock'

export type CompleteOptions = ServerOptions & Required<Pick<ServerOptions, Defaulted>>

const defaults: CompleteOptions = {
  ...labelDefaults,
  allowedHosts: [],
  allowedOrigins: [],
  rateLimit: 1000,
  ownsService: false,
  onLogMessage: ({ level, message }) => console.error(`${level}: ${message}`),
  clock: Date.now,
}

export function completeOptions(options: ServerOptions): CompleteOptions {
  const { onLogMessage } = { ...defaults, ...options }
  const complete = { ...defaults, ...options, onLogMessage: safeLogging(onLogMessage) }
  const { rateLimit } = complete
  requireImageHosts(complete.imageHosts)
  if (rateLimit === false || (Number.isInteger(rateLimit) && rateLimit > 0)) return complete
  throw new RenError(
    'invalid-argument',
    `rateLimit: expected a positive integer or false, got ${describeValue(rateLimit)}`,
  )
}
