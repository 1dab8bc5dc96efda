// The error class of the package, with a closed set of codes. docs/errors.md lists each code, and
// test/docs.test.ts compares the two.

/** Every code of a {@link RenError}, with its meaning in one line. */
export const errorCodes = {
  'invalid-argument': 'an argument is missing, of the wrong kind or out of range',
  'shape-mismatch': 'a matrix or vector does not have the dimensions that the operation needs',
  'non-finite-input': 'an argument contains NaN or an infinite value',
  'non-finite-result': 'a computation overflowed to NaN or an infinite value',
  'index-out-of-range': 'an index points outside its table',
  'unknown-item': 'no item of the catalog has this name',
  'out-of-memory': 'the request exceeds the 4 GB of one engine, or the system refused the memory',
  'use-after-free': 'a tensor was used after it, its scope or its engine was freed',
  'stale-state': 'an online state was used after the weights had changed',
  'unsupported-platform':
    'this runtime or installation lacks something that the chosen option needs',
  'dataset-missing': 'a file of a dataset does not exist or cannot be opened',
  'dataset-malformed': 'a file of a dataset violates its format at the named place',
  'file-missing': 'a model file or its folder does not exist or cannot be opened',
  'file-malformed': 'a tensor file violates its format or lacks a required tensor',
  'plan-invalid': 'the plan of an experiment violates its format at the named place',
  'results-unusable': 'stored results are missing, belong to another plan, or violate their format',
  'worker-failed': 'a worker thread stopped or could not be started',
  'store-missing': 'the store or its folder does not exist',
  'store-foreign': 'the file is not a store of this package',
  'store-too-new': 'a newer version of this package wrote the store',
  'store-too-old':
    'an earlier version of this package wrote the store, and it is open for reading only',
  'store-in-use': 'another service or process has the store open, or its file has a second name',
  'store-damaged': 'stored data differs from what was written',
  'store-failed': 'the store could not read or write; it stored nothing of this call',
  'outcome-unknown':
    'the connection to the store was lost before it confirmed a write, which may have taken effect',
  'store-closed': 'the store was used after it was closed',
  'log-rewound':
    'the log no longer continues what was read of it, as after the failover to a standby that lacked events',
  'lease-lost': 'another service has become the learner, so nothing was published',
  'settings-differ': 'a running service of the same store has other settings',
  'not-learner': 'another service of the same store trains, and this one does not',
  'mark-moved': 'another process has changed a mark in the store, so nothing was written',
  'snapshot-damaged': 'a snapshot is incomplete or differs from what was written',
  'snapshot-outdated': 'a user was erased after the snapshot was taken, so it was not stored',
  'key-required': 'the request needs an API key',
  'key-refused': 'the API key is unknown, revoked or malformed',
  'scope-missing': 'the API key does not have the required scope',
  'host-refused': 'the Host header names a host that the server does not serve',
  'origin-refused': 'the request comes from a page of another site',
  'content-type-refused': 'the content type of the body is not JSON in UTF-8',
  'rate-limited': 'the client sent more requests per second than allowed',
  'too-large': 'the request body is larger than allowed',
  'unknown-route': 'no route has this method and path',
  'method-refused': 'the path exists, but not with this method',
  'not-found': 'nothing has the requested id or name',
  'not-available': 'the server was started without the requested feature',
  internal: 'an unexpected error occurred in the server',
  'service-closed': 'the service was used after it was closed',
  'not-caught-up': 'the state did not reach the requested log position in time',
  'learning-off': 'the service was opened with learning disabled',
} as const

/** The code of a {@link RenError}, such as `invalid-argument`; `errorCodes` explains each. */
export type ErrorCode = keyof typeof errorCodes

/** Options of a `RenError`, besides the `cause` of every error. */
export interface RenErrorOptions extends ErrorOptions {
  readonly path?: string | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/**
 * The error that this package throws. Check `code` to distinguish errors; `message` describes the
 * error, its place and the allowed values.
 *
 * @example
 * ```ts
 * import { RenError } from 'ren-recommender'
 * import { readCsv } from 'ren-recommender/datasets'
 *
 * try {
 *   await readCsv('log.csv')
 * } catch (error) {
 *   if (!(error instanceof RenError)) throw error
 *   console.error(error.code, error.message)
 * }
 * ```
 */
export class RenError extends Error {
  override readonly name = 'RenError'
  readonly code: ErrorCode
  /**
   * Where the error is in the argument, such as `pin[0].slot`. Absent if the argument as a whole is
   * invalid, or if the error has no place.
   */
  declare readonly path?: string
  /** Facts about the error, as plain JSON. */
  declare readonly details?: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, options: RenErrorOptions = {}) {
    super(message, options)
    this.code = code
    // A field without a value would only clutter the printed error.
    if (options.path !== undefined) this.path = options.path
    if (options.details !== undefined) this.details = options.details
  }

  /** The error as JSON, for responses and messages between threads. */
  toJSON(): ErrorBody {
    const { code, message, path, details } = this
    return {
      code,
      message,
      ...(path !== undefined && { path }),
      ...(details !== undefined && { details }),
    }
  }
}

export interface ErrorBody {
  readonly code: ErrorCode
  readonly message: string
  readonly path?: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** Formats keys and indices as a path, such as `pin[0].slot` or `boost["a b"]`. */
export function formatPath(steps: readonly (string | number)[]): string {
  const format = (step: string): string => {
    if (/^[a-z_]\w*$/i.test(step)) return step
    return /^\d+$/.test(step) ? `[${step}]` : `[${JSON.stringify(step)}]`
  }
  return steps.map((step) => format(`${step}`)).reduce(joinPath, '')
}

/** Joins the path of a value and a path inside of it. Either may be empty. */
export function joinPath(place: string, path: string): string {
  const separator = place === '' || path === '' || path.startsWith('[') ? '' : '.'
  return place + separator + path
}

/** Calls `work`. The path of an error then starts with `place`. */
export function within<T>(place: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof RenError ? errorAt(place, error) : error
  }
}

/**
 * The same error; its path starts with `place`.
 *
 * @param path The path inside of `place`. Defaults to the path of the error.
 */
export function errorAt(place: string, error: RenError, path = error.path ?? ''): RenError {
  const { code, message, details } = error
  return new RenError(code, message, { cause: error, path: joinPath(place, path), details })
}

/** Creates the error for a matrix, vector or list with the wrong dimensions. */
export const shapeMismatch = (message: string, path?: string): RenError =>
  new RenError('shape-mismatch', message, { path })

/** The most common error: an argument that is missing, of the wrong kind or out of range. */
export const invalid = (message: string, path?: string): RenError =>
  new RenError('invalid-argument', message, { path })

/** Like `invalid`; the message starts with the path. */
export const invalidAt = (path: string, problem: string): RenError =>
  invalid(`${path} ${problem}`, path)
