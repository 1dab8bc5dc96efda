// One error class for everything the package refuses, with a closed set of codes.
// docs/errors.md lists each code; test/docs.test.ts holds the two equal.

/** Every code a `RenError` can carry, with what it means in one line. */
export const errorCodes = {
  'invalid-argument': 'an argument is missing, of the wrong kind or out of range',
  'shape-mismatch': 'a matrix or vector has other dimensions than the operation needs',
  'non-finite-input': 'an argument holds NaN or an infinite value',
  'non-finite-result': 'a computation overflowed to NaN or an infinite value',
  'index-out-of-range': 'an index points outside its table',
  'unknown-item': 'a name that no item of the catalogue has, or ever had',
  'out-of-memory': 'the request does not fit the 4 GB of one engine, or the machine refused it',
  'use-after-free': 'a tensor was used after it, its scope or its engine was released',
  'stale-state': 'a state was carried on although the weights it was made with have moved',
  'unsupported-platform': 'this runtime lacks something the chosen option needs',
  'dataset-missing': 'a file of a data set is not there or cannot be opened',
  'dataset-malformed': 'a file of a data set breaks its format at the place named',
  'file-missing': 'a model file, or the folder it is to go to, cannot be opened',
  'file-malformed': 'a file of tensors breaks its format or does not hold what was asked of it',
  'plan-invalid': 'a plan of an experiment breaks its format at the place named',
  'results-unusable': 'results on disk are missing, of another plan, or break their format',
  'worker-failed': 'a kernel thread stopped or could not be started',
} as const

export type ErrorCode = keyof typeof errorCodes

/** The one error that crosses the package's border. */
export class RenError extends Error {
  override readonly name = 'RenError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
