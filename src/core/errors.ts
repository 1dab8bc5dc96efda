// One error class for everything the package refuses, with a closed set of codes.
// docs/errors.md lists each code; test/docs.test.ts holds the two equal.

/** Every code of a {@link RenError}, with its meaning in one line. */
export const errorCodes = {
  'invalid-argument': 'an argument is missing, of the wrong kind or out of range',
  'shape-mismatch': 'a matrix or vector has other dimensions than the operation needs',
  'non-finite-input': 'an argument holds NaN or an infinite value',
  'non-finite-result': 'a computation overflowed to NaN or an infinite value',
  'index-out-of-range': 'an index points outside its table',
  'unknown-item': 'a name that no item of the catalog has, or ever had',
  'out-of-memory': 'the request does not fit the 4 GB of one engine, or the machine refused it',
  'use-after-free': 'a tensor was used after it, its scope or its engine was released',
  'stale-state': 'a state was carried on although the weights it was made with have moved',
  'unsupported-platform': 'this runtime or installation lacks something the chosen option needs',
  'dataset-missing': 'a file of a data set is not there or cannot be opened',
  'dataset-malformed': 'a file of a data set breaks its format at the place named',
  'file-missing': 'a model file, or the folder it is to go to, cannot be opened',
  'file-malformed': 'a file of tensors breaks its format or does not hold what was asked of it',
  'plan-invalid': 'a plan of an experiment breaks its format at the place named',
  'results-unusable': 'results on disk are missing, of another plan, or break their format',
  'worker-failed': 'a worker thread stopped or could not be started',
  'store-missing': 'there is no store at that place, or no folder to make it in',
  'store-foreign': 'the file is not a store of this package',
  'store-too-new': 'the store was written by a newer version of this package',
  'store-too-old': 'the store is of an earlier version, and was opened only for reading',
  'store-in-use': 'another service has the store, or it is open elsewhere',
  'store-damaged': 'what the store holds is not what was written',
  'store-failed': 'the store could not be read or written, and nothing of the call was kept',
  'store-closed': 'the store was used after it was closed',
  'mark-moved': 'a mark in the store is not what it was expected to be, so nothing was written',
  'snapshot-damaged': 'bytes of a snapshot are missing or not as they were written',
  'snapshot-outdated': 'a user was erased after the state in the snapshot, so it was not kept',
  'key-required': 'an API key is needed, and there is none',
  'key-refused': 'the API key is unknown, revoked or not spelt in full',
  'scope-missing': 'the API key may not do this',
  'host-refused': 'the request names a host that this server is not',
  'origin-refused': 'a page of another site asked',
  'content-type-refused': 'the body is not sent as JSON',
  'rate-limited': 'more was asked for in a short time than is allowed',
  'too-large': 'the body of the request is larger than allowed',
  'unknown-route': 'there is nothing at that address with that method',
  'not-found': 'nothing has the id or name that was asked for',
  'not-available': 'the server was started without what the request needs',
  internal: 'something failed that should not have',
  'service-closed': 'the service was used after it was closed',
  'not-caught-up': 'the state did not become as new as was asked for in time',
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
 * The error that this package throws. Check `code` to tell errors apart; `message` says what was
 * wrong, where, and what is allowed.
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
  /** Where the error is in the value that was refused, such as `settings.seeds`. */
  readonly path: string | undefined
  /** Facts about the error, as plain JSON. */
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(code: ErrorCode, message: string, options: RenErrorOptions = {}) {
    super(message, options)
    this.code = code
    this.path = options.path
    this.details = options.details
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

/** The most common refusal: an argument that is missing, of the wrong kind or out of range. */
export const invalid = (message: string): RenError => new RenError('invalid-argument', message)
