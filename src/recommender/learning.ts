// What a recommender learns from, and how: its state as feedback for the model.

import { squaredError, adam } from '../models/index.ts'
import type { Feedback, Loss, Optimiser, SequenceModel } from '../models/index.ts'
import { requireCount, requirePositiveInteger } from '../exploration/requirements.ts'
import { inColumns } from './histories.ts'
import type { State, UserState } from './state.ts'

/** Which items teach: those that users took, or all that were shown and whose reward was told. */
export type FeedbackKind = 'selected' | 'shown'

export interface FineTuneSettings {
  /** Steps of the optimiser; 3 unless set. */
  readonly steps: number
  /** How many users without news join each step; all of them unless set. */
  readonly replay: number
  /** How many of the last interactions of each user count; 60 unless set. */
  readonly window: number
  /** Squared error of relevance against the reward unless set. */
  readonly loss: Loss
  /** Made once; Adam at a rate of 0.002 unless set. */
  readonly optimiser: (model: SequenceModel) => Optimiser
  /** The largest norm of the gradient; 5 unless set. */
  readonly clip: number
}

export function completeSettings(settings: Partial<FineTuneSettings> = {}): FineTuneSettings {
  const complete = {
    steps: 3,
    replay: Infinity,
    window: 60,
    loss: squaredError(),
    optimiser: (model: SequenceModel) => adam(model.engine, model.workspace, { rate: 0.002 }),
    clip: 5,
    ...settings,
  }
  requirePositiveInteger('fineTune.steps', complete.steps)
  requirePositiveInteger('fineTune.window', complete.window)
  if (complete.replay !== Infinity) requireCount('fineTune.replay', complete.replay)
  return complete
}

export interface Lessons {
  /** Of users who had news since the weights last learnt. */
  readonly fresh: readonly Feedback[]
  /** Of the others. */
  readonly older: readonly Feedback[]
}

/** What there is to learn, for weights that have learnt from the first `learntEvents` events. */
export function lessonsOf(
  { users }: State,
  learntEvents: number,
  kind: FeedbackKind,
  { architecture }: SequenceModel,
  settings: FineTuneSettings,
): Lessons {
  const window = Math.min(settings.window, architecture.window)
  const firstMoment = architecture.withStart ? 0 : 1
  const [fresh, older]: [Feedback[], Feedback[]] = [[], []]
  for (const user of users.values()) {
    const isFresh = user.lastRewarded > learntEvents
    if (!isFresh && settings.replay === 0) continue
    const feedback = feedbackOf(user, kind, window, firstMoment)
    if (feedback.observations.length > 0) (isFresh ? fresh : older).push(feedback)
  }
  return { fresh, older }
}

/** What one user's last `window` interactions teach. */
function feedbackOf(
  { history, impressions }: UserState,
  kind: FeedbackKind,
  window: number,
  firstMoment: number,
): Feedback {
  const dropped = Math.max(0, history.length - window)
  const first = dropped + firstMoment
  const observations = []
  for (let i = impressions.length - 1; i >= 0 && impressions[i]!.after >= first; i--) {
    const { after, item, reward, taken } = impressions[i]!
    if (reward === null || (kind === 'selected' && !taken)) continue
    observations.push({ after: after - dropped, item, reward })
  }
  return { history: inColumns(history.slice(dropped)), observations: observations.toReversed() }
}
