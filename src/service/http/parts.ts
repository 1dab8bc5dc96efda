// What the routes work with: each is made once, by server.ts.

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'

import type { DemoControl, ImportRequest, RunRequest } from '../runs.ts'
import type { Service } from '../service.ts'
import type { LogMessage } from '../settings.ts'
import type { Jobs } from './jobs.ts'
import type { KeyRing } from './key-ring.ts'
import type { Labels } from './labels.ts'
import type { RouteSchemas } from './openapi.ts'
import type { OperationName } from './operations.ts'
import type { Prometheus, RouteFigures, Tally } from './prometheus.ts'
import type { PageFiles } from './routes/page.ts'
import type { Stream } from './stream.ts'

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export interface Parts {
  readonly service: Service
  readonly keys: KeyRing
  readonly stream: Stream
  readonly runs: Jobs<RunRequest>
  readonly imports: Jobs<ImportRequest>
  readonly tally: Tally
  readonly prometheus: Prometheus
  readonly page: PageFiles
  readonly labels: Labels
  /** Hosts from which the page may load images. */
  readonly imageHosts: readonly string[]
  /** Undefined where none runs. */
  readonly demo: DemoControl | undefined
  readonly clock: () => number
  readonly onLogMessage: (logMessage: LogMessage) => void
  /** Filled while routes are added. */
  readonly figures: readonly RouteFigures[]
  readonly schemas: ReadonlyMap<OperationName, RouteSchemas>
}
