// Uncertainty by counting, σ_k = 1/√n_k: an item with more evidence is never less certain.

import { RenError, invalid } from '../core/errors.ts'
import type { Evidence, UncertaintyEstimator } from './uncertainty.ts'

/**
 * How σ_k falls with n_k: `floor` is 1/√max(n, 1), `add-one` is 1/√(n + 1), and `trial` falls in a
 * straight line, from 1 to 0 at n = 30: an item is new for so long, and then known.
 */
export type CountRule = 'floor' | 'add-one' | 'trial'

/** Evidence after which an item is known under `trial`. */
const TRIAL = 30

const rules: Readonly<Record<CountRule, (n: number) => number>> = {
  floor: (n) => 1 / Math.sqrt(Math.max(n, 1)),
  'add-one': (n) => 1 / Math.sqrt(n + 1),
  trial: (n) => Math.max(0, 1 - n / TRIAL),
}

/**
 * What n_k counts: `impressions` alone, or `impressions-and-interactions`. Choose the second for
 * logs of interactions that no slate brought, as imported ones are: their items are known.
 */
export type CountedEvidence = 'impressions' | 'impressions-and-interactions'

const countedEvidence: readonly CountedEvidence[] = ['impressions', 'impressions-and-interactions']

export interface CountUncertaintyOptions {
  /** Defaults to `floor`. */
  readonly rule?: CountRule
  /** Defaults to `impressions`. */
  readonly evidence?: CountedEvidence
}

export function createCountUncertainty({
  rule = 'floor',
  evidence: counted = 'impressions',
}: CountUncertaintyOptions = {}): UncertaintyEstimator {
  requireOneOf('rule', Object.keys(rules), rule)
  requireOneOf('evidence', countedEvidence, counted)
  const uncertaintyOf = rules[rule]
  const withInteractions = counted === 'impressions-and-interactions'
  return {
    name: 'count',
    movedBy: withInteractions ? 'counts' : 'shown',
    estimate(evidence, out, items) {
      const { impressions } = evidence
      const takes = withInteractions ? takesOf(evidence) : null
      requireLength('impressions', impressions, out.length)
      if (takes) requireLength('takes', takes, out.length)
      const count = items?.length ?? out.length
      for (let i = 0; i < count; i++) {
        const item = items ? items[i]! : i
        let n = countOf('impressions', impressions, item)
        if (takes) n += countOf('takes', takes, item)
        out[item] = uncertaintyOf(n)
      }
    },
  }
}

function takesOf({ takes }: Evidence): Float32Array {
  if (takes !== undefined) return takes
  throw invalid('evidence must hold takes, to count impressions and interactions')
}

function countOf(name: string, counts: Float32Array, item: number): number {
  const n = counts[item]!
  if (n >= 0 && n < Infinity) return n
  throw invalid(`${name}[${item}] must be a finite number of at least 0, got ${n}`)
}

function requireLength(name: string, counts: Float32Array, length: number): void {
  if (counts.length === length) return
  throw new RenError(
    'shape-mismatch',
    `${name} of ${counts.length} items cannot fill the uncertainty of ${length}`,
  )
}

function requireOneOf(name: string, known: readonly string[], value: string): void {
  if (known.includes(value)) return
  throw invalid(`${name} must be ${known.join(' or ')}, got ${value}`)
}
