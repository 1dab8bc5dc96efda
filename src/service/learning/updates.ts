// One update of a group: the learner learns or goes back, its weights are saved, and they come to serve.

import { requireFiniteUpdate } from '../../recommender/index.ts'
import type { TrainingRunResult, WeightUpdate } from '../../recommender/index.ts'
import type { Blend } from '../../relevance/index.ts'
import type { LearnerStart } from './learner-types.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import { runInSlices } from './run-in-slices.ts'
import type { TrainOutcome } from '../service.ts'
import type { VersionFacts } from '../state/snapshots.ts'
import type { RunFacts } from '../training/checkpoints.ts'
import type { LearnReport } from './calls.ts'
import { swapIn } from './swap.ts'
import { partsFrom } from './thread.ts'
import type { LearnerThread } from './thread.ts'
import type { Versions } from './versions.ts'

export interface Updates {
  learn(thread: LearnerThread, group: ModelGroup): Promise<Learnt>
  /** The weights of an earlier version serve again, as a version of its own. */
  goBack(thread: LearnerThread, group: ModelGroup, version: number): Promise<void>
  /** The weights of a full training run serve. */
  adoptTrained(
    thread: LearnerThread,
    group: ModelGroup,
    result: TrainingRunResult,
    facts: RunFacts,
  ): Promise<void>
}

type NewFacts = Pick<VersionFacts, 'loss' | 'heldOut' | 'origin'> &
  Partial<Pick<VersionFacts, 'quality' | 'trainedOn'>>

export interface Learnt {
  readonly outcome: TrainOutcome
  /** Users with new events who wait for the next update. */
  readonly waiting: number
}

/** @param signal Ends what is done in slices. */
export function createUpdates(
  start: LearnerStart,
  versions: Versions,
  signal: AbortSignal,
): Updates {
  const { settings, onOutcome, onVersion, logMessage } = start

  /**
   * Saved before it serves: the log then names no version that a restart would not know. One that
   * cannot be saved does not serve, and its events still count as new.
   */
  async function publish(
    thread: LearnerThread,
    group: ModelGroup,
    update: WeightUpdate,
    facts: NewFacts,
    blend: Blend | null = null,
  ): Promise<number> {
    try {
      // Before it is saved: a restart would serve it.
      requireFiniteUpdate(update)
      const version = versions.next(group)
      const { learntEvents: position, itemCount: items } = update
      const parts = partsFrom(thread, 'saveWeights', group.name)
      const saved = blend && { blend }
      const trained = { quality: null, trainedOn: versions.trainedOn(group) }
      await versions.save(
        group,
        { ...trained, ...facts, version, position },
        { ...saved, parts, items },
      )
      const { swapMs, rest } = swapIn(group, update, version, blend)
      onVersion(versions.current(group))
      if (rest !== null) await runInSlices(rest, signal)
      return swapMs
    } catch (error) {
      // It would not tell of these changes again: another begins from the weights that serve.
      await thread.end()
      throw error
    }
  }

  async function take(
    thread: LearnerThread,
    group: ModelGroup,
    report: LearnReport,
  ): Promise<number | null> {
    const { update, loss, heldOut } = report
    if (update === null) return null
    return publish(thread, group, update, { loss, heldOut, origin: 'learnt' })
  }

  return {
    async learn(thread, group) {
      const now = settings.clock()
      const report = await thread.ask('learn', { group: group.name, now })
      const swapMs = await take(thread, group, report)
      const outcome = outcomeOf(group, report, swapMs)
      if (outcome.outcome !== 'nothing-new') onOutcome(outcome)
      if (outcome.reason !== undefined) {
        const message = `an update of ${group.name} was refused: ${outcome.reason}`
        logMessage({ level: 'warning', message })
      }
      return { outcome, waiting: report.waiting }
    },
    async goBack(thread, group, version) {
      const { weights, blend } = await versions.weights(group, version)
      const update = await thread.ask('goBack', { group: group.name, weights })
      const facts = { loss: null, heldOut: null, origin: 'rolled-back' } as const
      await publish(thread, group, update, facts, blend)
    },
    async adoptTrained(thread, group, { weights, loss, judgment }, facts) {
      const { position: learntEvents, learntTime, interactions: trainedOn } = facts
      const { quality, blend } = judgment
      const update = await thread.ask('adoptTrained', {
        group: group.name,
        weights,
        learntEvents,
        learntTime,
      })
      const known = { loss, heldOut: null, origin: 'trained', quality, trainedOn } as const
      await publish(thread, group, update, known, blend)
      start.onHeldOut(group.name, quality)
    },
  }
}

function outcomeOf(group: ModelGroup, report: LearnReport, swapMs: number | null): TrainOutcome {
  const { steps, refused, heldOut } = report
  const figures = { group: group.name, version: group.version, heldOut, swapMs }
  if (refused !== null) {
    return { ...figures, outcome: 'refused', reason: reasonOf(refused, heldOut), loss: null }
  }
  if (steps === 0) return { ...figures, outcome: 'nothing-new', loss: null }
  return { ...figures, outcome: 'learnt', loss: report.loss }
}

function reasonOf(
  refused: NonNullable<LearnReport['refused']>,
  heldOut: LearnReport['heldOut'],
): string {
  if (refused === 'non-finite') return 'weights or loss were no finite numbers'
  const [before, after] = [heldOut?.before, heldOut?.after].map((value) => value?.toPrecision(4))
  return heldOut?.measure === 'ndcg'
    ? `the NDCG of held-out users fell from ${before} to ${after}`
    : `the loss of users who were held out rose from ${before} to ${after}`
}
