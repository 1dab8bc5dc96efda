// Estimators of item uncertainty: they turn evidence into ‖σ_k‖∞ per item, by counting or from
// learned deviations.

import { invalid } from '../core/errors.ts'
import { choice, requireSettings } from '../core/settings.ts'
import { requireLength } from './requirements.ts'

/** Evidence on each item, one value per item. */
export interface Evidence {
  /** n_k: how often the item was shown, over all users. */
  readonly impressions: Float32Array
  /** How often users chose the item with a reward above 0; absent if unknown. */
  readonly interactions?: Float32Array
  /** ‖σ_k‖∞ as the model learned it; absent if the model does not learn σ. */
  readonly deviations?: Float32Array
}

/** Estimates how uncertain the model is about each item. Pass one to `createRecommender`. */
export interface UncertaintyEstimator {
  /** The name of the estimator, for messages of its caller. */
  readonly name: string
  /**
   * When values change, so that a recommender can cache them. `shown`: an item's value changes only
   * when its n_k changes. `counts`: also when its number of interactions
   * changes. `weights`: values change only with the weights, and then any value may. Without it, any
   * event may change any value, and the next request costs a pass over the catalog.
   */
  readonly movedBy?: 'shown' | 'counts' | 'weights'
  /** Must change whenever values change in any other way; absent if they never do. */
  readonly generation?: number
  /**
   * Writes ‖σ_k‖∞ of every item into `out`.
   *
   * @param items The items that must be written. The estimator may leave the others unchanged.
   */
  estimate(evidence: Evidence, out: Float32Array, items?: Int32Array): void
}

// Uncertainty by counting: more evidence never makes an item less certain.

/**
 * How the uncertainty σ_k of an item falls with its count n: `floor` is 1/√max(n, 1), `add-one` is
 * 1/√(n+1), and `trial` falls linearly from 1 to 0 at n = 30.
 */
export type CountRule = 'floor' | 'add-one' | 'trial'

/** The count from which an item is fully known under `trial`. */
const TRIAL = 30

const rules: Readonly<Record<CountRule, (n: number) => number>> = {
  floor: (n) => 1 / Math.sqrt(Math.max(n, 1)),
  'add-one': (n) => 1 / Math.sqrt(n + 1),
  trial: (n) => Math.max(0, 1 - n / TRIAL),
}

/**
 * What n_k counts: `impressions`, or `impressions-and-interactions`. Choose the second for imported
 * logs, which have interactions without impressions.
 */
export type CountedEvidence = 'impressions' | 'impressions-and-interactions'

const settings = {
  rule: choice('How uncertainty falls with the count', ['floor', 'add-one', 'trial']),
  evidence: choice('What counts', ['impressions', 'impressions-and-interactions']),
}

/** Settings of {@link createCountUncertainty}. */
export interface CountUncertaintyOptions {
  /** Defaults to `floor`. */
  readonly rule?: CountRule
  /** Defaults to `impressions`. */
  readonly evidence?: CountedEvidence
}

/**
 * Creates an estimator whose uncertainty of an item falls with the number of its impressions, from
 * 1 for a new item. This is the paper's choice.
 *
 * @example
 * ```ts
 * import { createCountUncertainty } from 'ren-recommender/exploration'
 *
 * const estimator = createCountUncertainty({ rule: 'add-one' })
 * const uncertainty = new Float32Array(2)
 * estimator.estimate({ impressions: Float32Array.of(0, 3) }, uncertainty) // 1 and 0.5
 * ```
 */
export function createCountUncertainty({
  rule = 'floor',
  evidence: counted = 'impressions',
}: CountUncertaintyOptions = {}): UncertaintyEstimator {
  requireSettings('countUncertainty', settings, { rule, evidence: counted })
  const uncertaintyOf = rules[rule]
  const withInteractions = counted === 'impressions-and-interactions'
  return {
    name: 'count',
    movedBy: withInteractions ? 'counts' : 'shown',
    estimate(evidence, out, items) {
      const { impressions } = evidence
      const interactions = withInteractions ? interactionsIn(evidence) : null
      requireLength('impressions', impressions.length, out.length)
      if (interactions) requireLength('interactions', interactions.length, out.length)
      const count = items?.length ?? out.length
      for (let i = 0; i < count; i++) {
        const item = items ? items[i]! : i
        let n = countOf('impressions', impressions, item)
        if (interactions) n += countOf('interactions', interactions, item)
        out[item] = uncertaintyOf(n)
      }
    },
  }
}

function interactionsIn({ interactions }: Evidence): Float32Array {
  if (interactions !== undefined) return interactions
  throw invalid('evidence.interactions must be present to count impressions and interactions')
}

/** Returns an item's count or deviation. */
function countOf(name: string, values: Float32Array, item: number): number {
  const n = values[item]!
  if (n >= 0 && n < Infinity) return n
  throw invalid(`${name}[${item}] must be a finite number of at least 0, got ${n}`)
}

/**
 * Creates an estimator that reads the deviations that training learned (`Evidence.deviations`),
 * relative to the prior: ‖σ_k‖∞/s₀. A new item has 1, as under the counting rules, so λ_u means the
 * same with either. Multiply by s₀ for the units of the embeddings (`uncertaintyScale` of REN-TS).
 * Values are capped at 1, because training noise can raise a rarely trained item above its prior.
 *
 * @param options `priorDeviation` is s₀, the initial deviation of every item.
 */
export function createLearnedUncertainty({
  priorDeviation,
}: {
  readonly priorDeviation: number
}): UncertaintyEstimator {
  const prior = Math.fround(priorDeviation) // the deviations are float32
  if (!(prior > 0 && prior < Infinity)) {
    throw invalid(`priorDeviation must be a positive float32, got ${priorDeviation}`)
  }
  return {
    name: 'learned',
    movedBy: 'weights',
    estimate({ deviations }, out) {
      if (deviations === undefined) {
        throw invalid('learned uncertainty needs the deviations of a model in its evidence')
      }
      requireLength('deviations', deviations.length, out.length)
      for (let item = 0; item < out.length; item++) {
        out[item] = Math.min(1, countOf('deviations', deviations, item) / prior)
      }
    },
  }
}
