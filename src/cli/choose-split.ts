// Which rule a model may be tested by: the one it was trained by, wherever that is known.

import { RenError } from '../core/errors.ts'
import { parseHoldOut } from './hold-out.ts'
import type { HoldOut } from './hold-out.ts'
import type { TrainingRecord } from './model-file.ts'

export interface ChosenSplit {
  readonly split: HoldOut
  /** What could not be checked, in a sentence; null where the split is known to be right. */
  readonly caution: string | null
}

/**
 * `stored` is the model, null where only baselines are tested; `digest` that of the log to test on;
 * `wanted` what the user asked for, if anything.
 */
export function chooseSplit(
  stored: { readonly training: TrainingRecord | null } | null,
  digest: string,
  wanted: HoldOut | undefined,
): ChosenSplit {
  const split = wanted ?? parseHoldOut('last')
  if (stored === null) return { split, caution: null }
  const { training } = stored
  if (training === null) {
    const caution = 'The model file does not say what it was trained on; targets may be among it.'
    return { split, caution }
  }
  if (training.digest !== digest) {
    const caution = `The model was trained on another log (${training.events}); targets may be among it.`
    return { split, caution }
  }
  if (training.split === 'none') {
    throw leak('the model was trained on all rows of this log: train it with --split to test it')
  }
  if (wanted !== undefined && wanted.text !== training.split) {
    throw leak(
      `the model was trained with --split ${training.split}: tested with --split ${wanted.text} it ` +
        'would be asked for rows that it has seen',
    )
  }
  return { split: parseHoldOut(training.split), caution: null }
}

const leak = (message: string): RenError => new RenError('invalid-argument', message)
