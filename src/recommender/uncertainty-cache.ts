// ‖σ_k‖∞ of every item, kept: only what has moved is estimated again, as far as the estimator's
// promise tells what that is.

import type { Evidence, UncertaintyEstimator } from '../exploration/index.ts'
import type { ItemDeviations, SequenceModel } from '../models/index.ts'
import type { State } from './state.ts'

export interface Uncertainty {
  /** Not to be written to; they change with the next call. */
  readonly values: Float32Array
  /** Another number whenever some of them were estimated again. */
  readonly version: number
}

/** As it is now. */
export type UncertaintyCache = () => Uncertainty

export function cacheUncertainty(
  estimator: UncertaintyEstimator,
  deviations: ItemDeviations | undefined,
  state: State,
  model: SequenceModel,
): UncertaintyCache {
  const learned = deviations && cacheDeviations(deviations, model)
  const { movedBy } = estimator
  const isCounted = movedBy === 'shown' || movedBy === 'counts'
  let values = new Float32Array()
  let version = 0
  /** What the values were estimated from; null where that did not succeed. */
  let estimated: readonly unknown[] | null = null

  /** All that can move any value. Items whose counts changed move their own value, one by one. */
  function basis(): readonly unknown[] {
    const { generation } = estimator
    if (isCounted) return [generation]
    return movedBy === 'weights' ? [generation, model.version] : [model.version, state.events]
  }

  return () => {
    const recounted = state.takeRecounted(movedBy === 'counts')
    const now = basis()
    const known = estimated
    const isWhole = values.length === model.itemCount && known !== null
    const hasMoved = !isWhole || now.some((value, i) => value !== known[i])
    if (!hasMoved && (!isCounted || recounted.length === 0)) {
      return { values, version }
    }
    estimated = null
    version += 1
    if (values.length !== model.itemCount) values = new Float32Array(model.itemCount)
    const evidence = evidenceOf(state, learned)
    if (hasMoved) estimator.estimate(evidence, values)
    else estimator.estimate(evidence, values, recounted)
    estimated = now
    return { values, version }
  }
}

/** Deviations are worth computing only for an estimator that reads them. */
function evidenceOf(
  { impressions, takes }: State,
  learned: (() => Float32Array) | undefined,
): Evidence {
  if (learned === undefined) return { impressions, takes }
  return {
    impressions,
    takes,
    get deviations() {
      return learned()
    },
  }
}

/** They move with the weights alone, and cost a look at the whole table. */
function cacheDeviations(deviations: ItemDeviations, model: SequenceModel): () => Float32Array {
  let cachedVersion = -1
  let values: Float32Array = new Float32Array()
  return () => {
    if (cachedVersion !== model.version) {
      values = deviations.deviations()
      cachedVersion = model.version
    }
    return values
  }
}
