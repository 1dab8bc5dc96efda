// What a recommender learns from, and how: its state as feedback for the model.

import { squaredError, adam } from '../models/index.ts'
import type {
  Feedback,
  FeedbackPool,
  Loss,
  Observation,
  Optimiser,
  SequenceModel,
} from '../models/index.ts'
import { requireCount, requirePositiveInteger } from '../exploration/requirements.ts'
import { inColumns } from './histories.ts'
import type { State, UserState } from './state.ts'

/** Which items teach: those that users took, or all that were shown and whose reward was told. */
export type FeedbackKind = 'selected' | 'shown'

export interface FineTuneSettings {
  /** Steps of the optimiser; 3 unless set. */
  readonly steps: number
  /**
   * How many users without news join each step; all of them unless set. `as-many` is as many as
   * have news, or all where nobody has.
   */
  readonly replay: number | 'as-many'
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
    replay: Infinity as FineTuneSettings['replay'],
    window: 60,
    loss: squaredError(),
    optimiser: (model: SequenceModel) => adam(model.engine, model.workspace, { rate: 0.002 }),
    clip: 5,
    ...settings,
  }
  requirePositiveInteger('fineTune.steps', complete.steps)
  requirePositiveInteger('fineTune.window', complete.window)
  const { replay } = complete
  if (replay !== 'as-many' && replay !== Infinity) requireCount('fineTune.replay', replay)
  return complete
}

export interface Lessons {
  /** Of users who had news since the weights last learnt. */
  readonly fresh: readonly Feedback[]
  /** Of the others; made as they are drawn, for there may be many users and few draws. */
  readonly older: FeedbackPool
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
  const feedbackOf = (user: UserState) => lessonOf(user, kind, window, firstMoment)
  const [fresh, older]: [Feedback[], UserState[]] = [[], []]
  for (const user of users.values()) {
    const isFresh = user.lastRewarded > learntEvents
    if (!isFresh && settings.replay === 0) continue
    if (observationsOf(user, kind, window, firstMoment).next().done) continue
    if (isFresh) fresh.push(feedbackOf(user))
    else older.push(user)
  }
  return { fresh, older: { length: older.length, at: (index) => feedbackOf(older[index]!) } }
}

/** What one user's last `window` interactions teach. */
function lessonOf(
  user: UserState,
  kind: FeedbackKind,
  window: number,
  firstMoment: number,
): Feedback {
  const observations = [...observationsOf(user, kind, window, firstMoment)].toReversed()
  return { history: inColumns(user.history.slice(-window)), observations }
}

/** From the newest back; moments are counted from the start of the window. */
function* observationsOf(
  { history, impressions }: UserState,
  kind: FeedbackKind,
  window: number,
  firstMoment: number,
): Generator<Observation, void> {
  const dropped = Math.max(0, history.length - window)
  const first = dropped + firstMoment
  for (let i = impressions.length - 1; i >= 0 && impressions[i]!.after >= first; i--) {
    const { after, item, reward, taken } = impressions[i]!
    if (reward === null || (kind === 'selected' && !taken)) continue
    yield { after: after - dropped, item, reward }
  }
}
