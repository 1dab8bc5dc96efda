// Uncertainty by counting, σ_k = 1/√n_k: an item that was shown more often is never less certain.

import { RenError } from '../core/errors.ts'
import type { UncertaintyEstimator } from './uncertainty.ts'

/** What n_k = 0 means: `floor` takes 1/√max(n, 1), `add-one` takes 1/√(n + 1). */
export type CountRule = 'floor' | 'add-one'

const divisors: Readonly<Record<CountRule, (n: number) => number>> = {
  floor: (n) => Math.max(n, 1),
  'add-one': (n) => n + 1,
}

export interface CountUncertaintyOptions {
  readonly rule?: CountRule
}

export function createCountUncertainty({
  rule = 'floor',
}: CountUncertaintyOptions = {}): UncertaintyEstimator {
  if (!Object.hasOwn(divisors, rule)) {
    const known = Object.keys(divisors).join(' or ')
    throw new RenError('invalid-argument', `rule must be ${known}, got ${rule}`)
  }
  const divisor = divisors[rule]
  return {
    name: 'count',
    movedBy: 'shown',
    estimate({ impressions }, out, items) {
      if (impressions.length !== out.length) {
        throw new RenError(
          'shape-mismatch',
          `impressions of ${impressions.length} items cannot fill the uncertainty of ${out.length}`,
        )
      }
      const count = items?.length ?? out.length
      for (let i = 0; i < count; i++) {
        const item = items ? items[i]! : i
        const n = impressions[item]!
        if (!(n >= 0 && n < Infinity)) {
          throw new RenError(
            'invalid-argument',
            `impressions[${item}] must be a finite number of at least 0, got ${n}`,
          )
        }
        out[item] = 1 / Math.sqrt(divisor(n))
      }
    },
  }
}
