// Updates a model group: the learner thread trains or rolls back, the service saves the new weights,
// and then serves them.

import { requireFiniteUpdate } from '../../recommender/weight-update.ts'
import type { WeightUpdate } from '../../recommender/index.ts'
import type { TrainingRunResult } from '../../recommender/full-training.ts'
import { minJudged, type Blend } from '../../relevance/index.ts'
import type { TrainOutcome } from '../schemas/model.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import type { VersionFacts } from '../state/snapshots.ts'
import type { RunFacts } from '../training/checkpoints.ts'
import type { LearnerStart } from './learner-types.ts'
import type { LiveThread } from './live-thread.ts'
import { partsFrom, type LearnerThread, type LearnReport } from './thread.ts'

type NewFacts = Pick<VersionFacts, 'loss' | 'heldOut' | 'origin'> &
  Partial<Pick<VersionFacts, 'quality' | 'trainedOn'>>

/** The result of an update of a group. */
export interface UpdateResult {
  readonly outcome: TrainOutcome
  /** Users with new events who wait for the next update. */
  readonly waiting: number
}

export class Updates {
  readonly #start: LearnerStart
  readonly #live: Pick<LiveThread, 'adopted' | 'requireServed'>

  constructor(start: LearnerStart, live: Pick<LiveThread, 'adopted' | 'requireServed'>) {
    this.#start = start
    this.#live = live
  }

  async learn(
    thread: LearnerThread,
    group: ModelGroup,
    onProgress: (share: number) => void,
  ): Promise<UpdateResult> {
    const { settings, onOutcome, logMessage } = this.#start
    const request = { group: group.name, now: settings.clock() }
    const report = await thread.call('learn', request, { onProgress })
    const { update, loss, heldOut, waiting } = report
    const facts = { loss, heldOut, origin: 'fine-tuned' } as const
    const swapMs = update && (await this.#publish(thread, group, update, facts))
    const outcome = outcomeOf(group, report, swapMs)
    if (outcome.outcome !== 'nothing-new') onOutcome(outcome)
    if (outcome.reason !== undefined) {
      const message = `an update of ${group.name} was refused: ${outcome.reason}`
      logMessage({ level: 'warning', message })
    }
    return { outcome, waiting }
  }

  /** Serves the weights of an earlier version again, as a new version. */
  async rollBack(thread: LearnerThread, group: ModelGroup, version: number): Promise<void> {
    const { weights, quality, blend } = await this.#start.weights.versions.weights(group, version)
    const update = await thread.call('rollBack', { group: group.name, weights })
    const facts = { loss: null, heldOut: null, origin: 'rolled-back', quality } as const
    await this.#publish(thread, group, update, facts, blend)
  }

  /** Serves the weights of a full training run. */
  async adoptTrained(
    thread: LearnerThread,
    group: ModelGroup,
    { weights, loss, judgment: { quality, blend } }: TrainingRunResult,
    { position: trainedUpToEvent, trainedUpToTime, interactions: trainedOn }: RunFacts,
  ): Promise<void> {
    const trained = { group: group.name, weights, trainedUpToEvent, trainedUpToTime }
    const update = await thread.call('adoptTrained', trained)
    const facts = { loss, heldOut: null, origin: 'trained', quality, trainedOn } as const
    await this.#publish(thread, group, update, facts, blend)
  }

  /**
   * Saves a version and then serves it. The log thus never names a version that a restart does not
   * know. If saving fails, the version does not serve, and its events still count as new.
   *
   * @param blend The blend to serve the weights with; null keeps the served one.
   * @returns Milliseconds for which the swap of the weights blocked the main thread.
   */
  async #publish(
    thread: LearnerThread,
    group: ModelGroup,
    update: WeightUpdate,
    facts: NewFacts,
    blend: Blend | null = null,
  ): Promise<number> {
    const { weights } = this.#start
    const { versions } = weights
    try {
      // Checked before saving, since a restart serves the saved weights.
      requireFiniteUpdate(update)
      this.#live.requireServed(group)
      const version = versions.next(group)
      const { trainedUpToEvent: position, itemCount: items } = update
      const trained = { quality: null, trainedOn: versions.trainedOn(group) }
      const swapMs = await weights.publish(
        group,
        { ...trained, ...facts, version, position },
        {
          ...(blend && { blend }),
          parts: partsFrom(thread, 'saveWeights', group.name),
          items,
          update,
        },
      )
      this.#live.adopted(group)
      return swapMs
    } catch (error) {
      // The thread would not send these changes again. The next one starts from the served weights.
      await thread.end()
      throw error
    }
  }
}

function outcomeOf(group: ModelGroup, report: LearnReport, swapMs: number | null): TrainOutcome {
  const { steps, refused, heldOut } = report
  const figures = { group: group.name, version: group.version, heldOut, swapMs }
  if (refused !== null) {
    return { ...figures, outcome: 'refused', reason: reasonOf(refused, heldOut), loss: null }
  }
  if (steps === 0) return { ...figures, outcome: 'nothing-new', loss: null }
  return { ...figures, outcome: 'trained', loss: report.loss }
}

function reasonOf(
  refused: NonNullable<LearnReport['refused']>,
  heldOut: LearnReport['heldOut'],
): string {
  if (refused === 'non-finite') return 'weights or loss were not finite'
  const [before, after] = [heldOut?.before, heldOut?.after].map((value) => value?.toPrecision(4))
  return heldOut?.measure === 'ndcg'
    ? `the NDCG of held-out users fell from ${before} to ${after}`
    : `the loss of held-out users rose from ${before} to ${after}`
}

/**
 * Serves a blend of memory and popularity that was fitted on the log, if the model has no weight yet
 * and few live interactions were ranked, as right after an import.
 *
 * @returns The remaining work, in steps; null if the served blend stays.
 */
export function serveBaseline(
  { recommender }: ModelGroup,
  blend: Blend,
): Generator<undefined, void> | null {
  const served = recommender.blend
  const ranked = served?.quality()?.served.examples ?? 0
  const isFirst = served?.current.weights.model === 0 && ranked < minJudged
  return isFirst ? served.change(blend) : null
}
