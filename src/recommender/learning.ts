// How a recommender learns: who teaches, who judges, and what becomes of the weights.

import { RenError } from '../core/errors.ts'
import type { Random } from '../core/random.ts'
import { adam, fineTune, squaredError } from '../models/index.ts'
import type {
  Feedback,
  FeedbackPool,
  FineTuneReport,
  ItemDeviations,
  Loss,
  Optimizer,
  SequenceModel,
} from '../models/index.ts'
import {
  nonNegativeNumberOrInfinity,
  positiveNumberOrInfinity,
  requireOptions,
  share,
  wholeNumber,
  wholeNumberOrInfinity,
} from '../models/require-options.ts'
import { requireCount } from '../exploration/requirements.ts'
import type { ObservedEvent } from './events.ts'
import { hasExample, exampleOf } from './training-examples.ts'
import type { FeedbackKind, Teaching } from './training-examples.ts'
import { createNewEventTracker } from './new-event-tracker.ts'
import type { Chosen, Mark } from './new-event-tracker.ts'
import { requireNumber } from './requirements.ts'
import type { StateContents } from './state.ts'
import type { UserState } from './user-state.ts'
import type { Learnt } from './weight-update.ts'

/** How a recommender fine-tunes its model on new events. */
export interface FineTuneSettings {
  /** Steps of the optimizer. Defaults to 3. */
  readonly steps: number
  /**
   * How many users without new events join each step. Defaults to all. `as-many` is the number of
   * users with new events, or all users if there are none, and at most `maxUsers`.
   */
  readonly replay: number | 'as-many'
  /** How many of the last interactions of each user count. Defaults to 60. */
  readonly window: number
  /** Defaults to the squared error of relevance against the reward. */
  readonly loss: Loss
  /** Created once. Defaults to Adam at a rate of 0.002. */
  readonly optimizer: (model: SequenceModel) => Optimizer
  /** The largest norm of the gradient. Defaults to 5. */
  readonly clip: number
  /**
   * Milliseconds after which an item that was shown without feedback counts as reward 0. Defaults to
   * never. If it is set, fine-tuning needs the current time.
   */
  readonly attributionWindow: number
  /** Maximum of users with new events per update, the longest-waiting first. Defaults to all. */
  readonly maxUsers: number
  /**
   * The share of users with new events who are held out to judge the update, from five users on.
   * Defaults to 0. Later updates may learn from them by replay.
   */
  readonly holdOut: number
  /**
   * An update is refused that makes the loss of those who judge more than this many times what it
   * was (and clearly larger, see models/training/fine-tune.ts), or that is not finite. Defaults to no limit; then a loss
   * that is not finite is an error.
   */
  readonly tolerance: number
}

export function completeSettings(settings: Partial<FineTuneSettings> = {}): FineTuneSettings {
  const complete = {
    steps: 3,
    replay: Infinity as FineTuneSettings['replay'],
    window: 60,
    loss: squaredError(),
    optimizer: (model: SequenceModel) => adam(model.engine, model.workspace, { rate: 0.002 }),
    clip: 5,
    attributionWindow: Infinity,
    maxUsers: Infinity,
    holdOut: 0,
    tolerance: Infinity,
    ...settings,
  }
  requireOptions('fineTune', complete, {
    steps: wholeNumber(),
    window: wholeNumber(),
    attributionWindow: nonNegativeNumberOrInfinity,
    maxUsers: wholeNumberOrInfinity(),
    holdOut: share,
    tolerance: positiveNumberOrInfinity,
  })
  const { replay } = complete
  if (replay !== 'as-many' && replay !== Infinity) requireCount('fineTune.replay', replay)
  return complete
}

/** The result of one fine-tuning. */
export interface LearningReport extends Pick<
  FineTuneReport,
  'loss' | 'steps' | 'events' | 'heldOut'
> {
  /**
   * Why weights and optimizer are as they were. NewEventTracker that was refused is not tried again for itself;
   * it stays among what is replayed.
   */
  readonly refused: 'worse' | 'non-finite' | null
  /** How many users with new events wait for the next update. */
  readonly waiting: number
}

export interface Learning {
  /** To be called after each event. */
  observed(event: ObservedEvent): void
  hasNewEvents(now?: number): boolean
  fineTune(options?: FineTuneCall): LearningReport
  readonly learnt: Learnt
  /** Goes on from what another has learnt. */
  adopt(learnt: Learnt): void
}

export interface FineTuneCall {
  /** In the clock of the events, and needed where an attribution window is set. */
  readonly now?: number
  /** Called before each step with the share of the steps that is done. */
  readonly onProgress?: (share: number) => void
}

export interface LearningParts {
  readonly model: SequenceModel
  readonly state: StateContents
  readonly kind: FeedbackKind
  readonly settings: FineTuneSettings
  readonly deviations: ItemDeviations | undefined
  readonly random: Random
  readonly start: Learnt
}

export function createLearning(parts: LearningParts): Learning {
  const { model, state, kind, settings, deviations } = parts
  const optimizer = settings.optimizer(model)
  const settles = kind !== 'selected' && settings.attributionWindow < Infinity
  let mark = markOf(parts.start)
  let { fineTunes } = parts.start
  const newEvents = createNewEventTracker(state, mark, kind)

  /** Nothing is learnt of a take by time. */
  function markOf({ learntEvents, learntTime }: Learnt): Mark {
    return { events: learntEvents, time: settles ? learntTime : -Infinity }
  }

  function settledBy(now: number | undefined): number {
    if (!settles) return -Infinity
    requireNumber('now', now as number)
    return now! - settings.attributionWindow
  }

  function update(
    { fresh, judges, older }: ExampleSets,
    random: Random,
    onProgress: FineTuneCall['onProgress'],
  ): Omit<LearningReport, 'waiting'> {
    const { replay, maxUsers, tolerance } = settings
    try {
      const { loss, steps, events, heldOut, refused } = fineTune(model, fresh, older, {
        ...settings,
        replay: replay === 'as-many' ? Math.min(maxUsers, fresh.length || older.length) : replay,
        heldOut: judges,
        optimizer,
        ...(deviations && { deviations }),
        random,
        clock: () => 0,
        onProgress,
      })
      return { loss, steps, events, heldOut, refused: refused ? 'worse' : null }
    } catch (error) {
      const isRefused = error instanceof RenError && error.code === 'non-finite-result'
      if (!isRefused || tolerance === Infinity) throw error
      return { ...nothing, loss: Number.NaN, refused: 'non-finite' }
    }
  }

  return {
    observed: newEvents.observed,
    hasNewEvents: (now) => newEvents.any(settledBy(now)),
    fineTune({ now, onProgress } = {}) {
      const random = parts.random.fork(String(fineTunes))
      const teaching = teachingOf(model, kind, settings, settledBy(now))
      const chosen = newEvents.choose(teaching.settledBy, settings.maxUsers, (user) =>
        hasExample(user, teaching),
      )
      const examples = examplesOf(state, chosen, teaching, settings, random.fork('judges'))
      const isEmpty = examples.fresh.length === 0 && examples.older.length === 0
      const report = isEmpty ? nothing : update(examples, random, onProgress)
      newEvents.spend(chosen)
      if (!isEmpty) fineTunes += 1
      if (report.refused === null) mark = newEvents.mark
      return { ...report, waiting: newEvents.waiting }
    },
    get learnt() {
      return { learntEvents: mark.events, learntTime: mark.time, fineTunes }
    },
    adopt(learnt) {
      // What it knows is of steps that led to other weights.
      optimizer.reset?.()
      mark = markOf(learnt)
      fineTunes = learnt.fineTunes
      newEvents.moveTo(mark)
    },
  }
}

const nothing = { loss: 0, steps: 0, events: 0, heldOut: null, refused: null } as const

export interface ExampleSets {
  /** Of users with new events. */
  readonly fresh: readonly Feedback[]
  /** Of users with new events who judge the update. */
  readonly judges: readonly Feedback[]
  /** Of the others; made as they are drawn, for there may be many users and few draws. */
  readonly older: FeedbackPool
}

/** Users stand in the order in which they came, whoever was chosen first. */
export function examplesOf(
  { users }: StateContents,
  chosen: Chosen,
  teaching: Teaching,
  { replay, holdOut }: Pick<FineTuneSettings, 'replay' | 'holdOut'>,
  random: Random,
): ExampleSets {
  const judging = drawJudges(chosen.fresh.size, holdOut, random)
  const [fresh, judges, older]: [Feedback[], Feedback[], UserState[]] = [[], [], []]
  for (const [name, user] of users) {
    if (!chosen.waits(name)) {
      if (replay !== 0 && hasExample(user, teaching)) older.push(user)
    } else if (chosen.fresh.has(name)) {
      const isJudge = judging.has(fresh.length + judges.length)
      const examples = isJudge ? judges : fresh
      examples.push(exampleOf(user, teaching))
    }
  }
  const at = (index: number) => exampleOf(older[index]!, teaching)
  return { fresh, judges, older: { length: older.length, at } }
}

/** Fewer would not be worth their judgement. */
const fewestToJudge = 5

function drawJudges(users: number, holdOut: number, random: Random): ReadonlySet<number> {
  if (holdOut === 0 || users < fewestToJudge) return new Set()
  const count = Math.min(users - 1, Math.max(1, Math.round(holdOut * users)))
  return new Set(random.choose(count, users))
}

export function teachingOf(
  { architecture }: SequenceModel,
  kind: FeedbackKind,
  settings: Pick<FineTuneSettings, 'window'>,
  settledBy: number,
): Teaching {
  const window = Math.min(settings.window, architecture.window)
  return { kind, window, firstMoment: architecture.withStart ? 0 : 1, settledBy }
}
