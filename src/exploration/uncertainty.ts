// Uncertainty of items: evidence in, ‖σ_k‖∞ per item out, by counting or from learned deviations.

import { invalid } from '../core/errors.ts'
import { choice, requireSettings } from '../core/settings.ts'
import { requireLength } from './requirements.ts'

/** Evidence on each item, one value per item. A new kind of evidence is a new optional field. */
export interface Evidence {
  /** n_k: how often the item was shown, to anybody. */
  readonly impressions: Float32Array
  /** How often the item was taken with a reward above 0, by anybody. */
  readonly takes?: Float32Array
  /** ‖σ_k‖∞ as a model learned it. */
  readonly deviations?: Float32Array
}

/** One array of an estimator's saved evidence, in row-major order. */
export interface SavedTensor {
  readonly shape: readonly number[]
  readonly data: Float32Array | Float64Array | Int32Array
}

/** All that an estimator has gathered, by names of its own. */
export type SavedEvidence = ReadonlyMap<string, SavedTensor>

/** Estimates how uncertain the model is about each item. Pass one to `createRecommender`. */
export interface UncertaintyEstimator {
  readonly name: string
  /**
   * What an estimator promises, so that what it said can be kept. `shown`: the value of an item moves
   * only when that item's n_k changes or it is observed. `counts`: also when its takes change.
   * `weights`: no value moves unless the weights
   * do, and then any may. Without a promise every event may move every value, and a request after
   * one costs a pass over the catalog.
   */
  readonly movedBy?: 'shown' | 'counts' | 'weights'
  /** Another number whenever values have moved in any other way. */
  readonly generation?: number
  /**
   * Writes ‖σ_k‖∞ of every item into `out`; where `items` are given, at least of those, and
   * the rest of `out` stays as it is or is brought up to date too.
   */
  estimate(evidence: Evidence, out: Float32Array, items?: Int32Array): void
  /** For estimators that gather evidence of their own: the item was shown to a user at θ. */
  observe?(item: number, userEmbedding: Float32Array): void
  /** For the same: new items at the end of the catalog. */
  addItems?(count: number): void
  /** For the same: what was gathered, for snapshots. */
  save?(): SavedEvidence
  /**
   * Puts what `save` gave in the place of what was gathered; where that is nothing, keeps this.
   * Either way the estimator then knows `itemCount` items, however many it was made for.
   */
  restore?(saved: SavedEvidence, itemCount: number): void
}

// Uncertainty by counting, σ_k = 1/√n_k: an item with more evidence is never less certain.

/**
 * How the uncertainty σ_k of an item falls with its count n: `floor` is 1/√max(n, 1), `add-one` is
 * 1/√(n+1), and `trial` falls linearly from 1 to 0 at n = 30.
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
  requireSettings('count uncertainty', settings, { rule, evidence: counted })
  const uncertaintyOf = rules[rule]
  const withInteractions = counted === 'impressions-and-interactions'
  return {
    name: 'count',
    movedBy: withInteractions ? 'counts' : 'shown',
    estimate(evidence, out, items) {
      const { impressions } = evidence
      const takes = withInteractions ? takesOf(evidence) : null
      requireLength('impressions', impressions.length, out.length)
      if (takes) requireLength('takes', takes.length, out.length)
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

/** A value of an item: a count, or a deviation. */
function countOf(name: string, values: Float32Array, item: number): number {
  const n = values[item]!
  if (n >= 0 && n < Infinity) return n
  throw invalid(`${name}[${item}] must be a finite number of at least 0, got ${n}`)
}

// Uncertainty from deviations that a model learned: ‖σ_k‖∞/s₀, so that an item nobody has seen has
// 1, as under the counting rules, and λ_u means the same with either. Multiply by s₀ for the units
// of the embeddings (`uncertaintyScale` of REN-TS).

interface LearnedUncertaintyOptions {
  /** s₀: the deviation that every item had before anything was known of it. */
  readonly priorDeviation: number
}

/**
 * Creates an estimator that reads the deviations that training learned (`Evidence.deviations`),
 * relative to the prior. Values are at most 1: training noise can leave a rarely trained item above
 * its prior.
 */
export function createLearnedUncertainty({
  priorDeviation,
}: LearnedUncertaintyOptions): UncertaintyEstimator {
  const prior = Math.fround(priorDeviation) // as the deviations hold it
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
