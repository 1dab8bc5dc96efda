// Fine-tuning on new events: which users provide training examples, which are held out to evaluate the
// update, and whether the update is accepted.

import { RenError } from '../core/errors.ts'
import type { Random } from '../core/random.ts'
import type { Bounds } from '../core/settings.ts'
import {
  choice,
  either,
  numberWithin,
  positiveInteger,
  shareBelowOne,
  withDefaults,
} from '../core/settings.ts'
import { adam, fineTune, squaredError } from '../models/index.ts'
import type {
  Feedback,
  FeedbackPool,
  FineTuneReport,
  Loss,
  Optimizer,
  SequenceModel,
} from '../models/index.ts'
import type { RecommenderParts } from './decisions.ts'
import { requireNumber } from './requirements.ts'
import { NewEventTracker } from './new-event-tracker.ts'
import type { Chosen, Mark } from './new-event-tracker.ts'
import type { StateContents } from './state.ts'
import { hasExample, exampleOf } from './training-examples.ts'
import type { FeedbackKind, Teaching } from './training-examples.ts'
import type { LearningProgress } from './weight-update.ts'

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
   * Milliseconds after which an item that was shown without feedback counts as reward 0. Defaults
   * to never. If it is set, fine-tuning needs the current time.
   */
  readonly attributionWindow: number
  /** Maximum of users with new events per update, the longest-waiting first. Defaults to all. */
  readonly maxUsers: number
  /**
   * The share of users with new events who are held out to evaluate the update, from five users on.
   * Defaults to 0. Later updates may learn from them by replay.
   */
  readonly holdOut: number
  /**
   * An update is refused if it makes the loss of the held-out users more than this many times as
   * large (and clearly larger, see models/training/fine-tune.ts), or if its loss is not finite.
   * Defaults to no limit; then a loss that is not finite is an error.
   */
  readonly tolerance: number
}

const unlimited = (type: 'number' | 'integer', bounds: Bounds) =>
  numberWithin(type, { ...bounds, infinite: true })

const fineTuneSettings = {
  steps: positiveInteger('Steps of the optimizer', 3),
  replay: either(
    unlimited('integer', { minimum: 0 })('Users without new events per step'),
    choice('or as many as have new events', ['as-many']),
  ),
  window: positiveInteger('Interactions of each user that count', 60),
  attributionWindow: unlimited('number', { minimum: 0 })('Milliseconds', Infinity),
  maxUsers: unlimited('integer', { minimum: 1 })('Users with new events', Infinity),
  holdOut: shareBelowOne('Share of users with new events held out to evaluate the update', 0),
  tolerance: unlimited('number', { exclusiveMinimum: 0 })('Allowed rise of loss', Infinity),
}

export function completeSettings(settings: Partial<FineTuneSettings> = {}): FineTuneSettings {
  const { replay = Infinity, ...others } = withDefaults('fineTune', fineTuneSettings, {
    loss: squaredError(),
    optimizer: (model: SequenceModel) => adam(model.engine, model.workspace, { rate: 0.002 }),
    clip: 5,
    ...settings,
  })
  return { replay, ...others }
}

/** The result of one fine-tuning. */
export interface LearningReport extends Pick<
  FineTuneReport,
  'loss' | 'steps' | 'events' | 'heldOut'
> {
  /**
   * Why the update was refused; null if it was accepted. After a refusal, weights and optimizer are
   * as before. The events do not count as new again, but later updates may replay them.
   */
  readonly refused: 'worse' | 'non-finite' | null
  /** How many users with new events wait for the next update. */
  readonly waiting: number
}

export interface FineTuneCall {
  /** The current time on the clock of the events. Required if an attribution window is set. */
  readonly now?: number
  /** Called before each step with the share of the steps that is done. */
  readonly onProgress?: (share: number) => void
}

interface LearningParts extends Pick<
  RecommenderParts,
  'model' | 'state' | 'deviations' | 'random'
> {
  readonly kind: FeedbackKind
  readonly settings: FineTuneSettings
  readonly start: LearningProgress
}

export class Learning {
  readonly #parts: LearningParts
  readonly #optimizer: Optimizer
  readonly newEvents: NewEventTracker
  /** Whether items without feedback get reward 0 after the attribution window. */
  readonly #settles: boolean
  #mark: Mark
  #fineTunes: number

  constructor(parts: LearningParts) {
    const { model, state, kind, settings, start } = parts
    this.#parts = parts
    this.#optimizer = settings.optimizer(model)
    this.#settles = kind !== 'selected' && settings.attributionWindow < Infinity
    this.#mark = this.#markOf(start)
    this.#fineTunes = start.fineTunes
    this.newEvents = new NewEventTracker(state, this.#mark, kind, this.#settles)
  }

  get progress(): LearningProgress {
    const { events, time } = this.#mark
    return { trainedUpToEvent: events, trainedUpToTime: time, fineTunes: this.#fineTunes }
  }

  hasNewEvents(now?: number): boolean {
    return this.newEvents.any(this.#settledBy(now))
  }

  fineTune({ now, onProgress }: FineTuneCall = {}): LearningReport {
    const { model, state, kind, settings } = this.#parts
    const random = this.#parts.random.fork(String(this.#fineTunes))
    const teaching = teachingOf(model, kind, settings, this.#settledBy(now))
    const chosen = this.newEvents.choose(teaching.settledBy, settings.maxUsers, (user) =>
      hasExample(user, teaching),
    )
    const examples = examplesOf(state, chosen, teaching, settings, random.fork('judges'))
    const isEmpty = examples.fresh.length === 0 && examples.older.length === 0
    const report = isEmpty ? nothing : this.#update(examples, random, onProgress)
    this.newEvents.spend(chosen)
    if (!isEmpty) this.#fineTunes += 1
    if (report.refused === null) this.#mark = this.newEvents.mark
    return { ...report, waiting: this.newEvents.waiting }
  }

  /** Continues from the learning state of another recommender. */
  adopt(progress: LearningProgress): void {
    // The optimizer's moments belong to other weights.
    this.#optimizer.reset?.()
    this.#mark = this.#markOf(progress)
    this.#fineTunes = progress.fineTunes
    this.newEvents.moveTo(this.#mark)
  }

  #markOf({ trainedUpToEvent, trainedUpToTime }: LearningProgress): Mark {
    return { events: trainedUpToEvent, time: this.#settles ? trainedUpToTime : -Infinity }
  }

  #settledBy(now: number | undefined): number {
    if (!this.#settles) return -Infinity
    requireNumber('now', now)
    return now! - this.#parts.settings.attributionWindow
  }

  #update(
    { fresh, heldOut: held, older }: ExampleSets,
    random: Random,
    onProgress: FineTuneCall['onProgress'],
  ): Omit<LearningReport, 'waiting'> {
    const { model, settings, deviations } = this.#parts
    const { replay, maxUsers, tolerance } = settings
    try {
      const { loss, steps, events, heldOut, refused } = fineTune(model, fresh, older, {
        ...settings,
        replay: replay === 'as-many' ? Math.min(maxUsers, fresh.length || older.length) : replay,
        heldOut: held,
        optimizer: this.#optimizer,
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
}

const nothing = { loss: 0, steps: 0, events: 0, heldOut: null, refused: null } as const

type ExampleSets = ReturnType<typeof examplesOf>

/** Creates the examples of an update. */
export function examplesOf(
  { users }: StateContents,
  { fresh: names, replayable, replay: userAt }: Chosen,
  teaching: Teaching,
  { replay, holdOut }: Pick<FineTuneSettings, 'replay' | 'holdOut'>,
  random: Random,
) {
  const drawn = drawHeldOut(names.size, holdOut, random)
  const [fresh, heldOut]: [Feedback[], Feedback[]] = [[], []]
  for (const [index, name] of [...names].entries()) {
    const examples = drawn.has(index) ? heldOut : fresh
    examples.push(exampleOf(users.get(name)!, teaching))
  }
  const older = {
    length: replay === 0 ? 0 : replayable,
    at: (index: number) => exampleOf(userAt(index), teaching),
  } satisfies FeedbackPool
  return {
    /** Examples of users with new events. */
    fresh,
    /** Examples of users with new events who are held out to evaluate the update. */
    heldOut,
    /** Examples of the other users. They are created lazily, because few of many users are drawn. */
    older,
  }
}

/** With fewer users, no user is held out. */
const minToHoldOut = 5

function drawHeldOut(users: number, holdOut: number, random: Random): ReadonlySet<number> {
  if (holdOut === 0 || users < minToHoldOut) return new Set()
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
