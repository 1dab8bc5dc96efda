// The simulation seam: a world asks for slates, answers them, and knows what would have been best.

import { choice } from '../core/settings.ts'
import type { SettingValue } from '../core/settings.ts'
import type { RecommendRequest, Recommendation, RenEvent } from '../recommender/index.ts'
import { invalid } from '../core/errors.ts'
import type { Random } from '../core/random.ts'

/** One request of a world: which user needs a slate now, and from which items. */
export interface Round {
  /** Counted from 1. */
  readonly step: number
  readonly user: string
  readonly time: number
  /** How many items are asked for. */
  readonly count: number
  /** Items that may be shown. Defaults to the whole catalog. */
  readonly candidates?: readonly string[]
  readonly exclude?: readonly string[]
  /** Events from elsewhere since the last round, received before the request. */
  readonly newEvents?: readonly RenEvent[]
  /** Whether an interval ends here, after which one learns. */
  readonly endsInterval: boolean
}

/** The result of a slate. Each list has one entry per slot. */
export interface Outcome {
  /** What the round was worth, before noise. */
  readonly reward: number
  /** What the best slate would have been worth. */
  readonly bestReward: number
  /** The reported reward of each item; null if none is reported. */
  readonly reported: readonly (number | null)[]
  /** Chosen slots, in the order of the choices; the reward of each is reported. */
  readonly taken: readonly number[]
  /** Whether an item was what the user wanted, for precision and its kin. */
  readonly relevant: readonly boolean[]
  /** How many such items there were to be found. */
  readonly relevantCount: number
}

/** The events before the first round, and how often to fine-tune on them. */
export interface WarmUp {
  readonly events: readonly RenEvent[]
  readonly fineTunes: number
}

/** A simulated world: it sends requests, responds to slates, and knows the best slate. */
export interface Environment {
  readonly name: string
  readonly itemNames: readonly string[]
  /** How many rounds there will be. */
  readonly steps: number
  readonly warmUp?: WarmUp
  /** The next question, or null at the end; the one before must have been answered. */
  nextRound(): Round | null
  respond(round: Round, slate: readonly string[]): Outcome
  /** A slate that is worth the most. */
  bestSlate(round: Round): readonly string[]
  /** From 0 for items that are alike to 1 or more, where the world knows; for diversity. */
  dissimilarity?(first: string, second: string): number
  /** How well users like an item, where the world knows; for who may look at the answers. */
  popularity?(item: string): number
}

/** What a simulation runs: a recommender, or a baseline with the same methods. */
export interface Contestant {
  recommend(request: RecommendRequest): {
    readonly items: readonly Pick<Recommendation['items'][number], 'item'>[]
  }
  observe(event: RenEvent): void
  fineTune(): unknown
}

// The contestant that knows: it shows a slate that is worth the most.

/** Creates a contestant that always shows the best slate, and the world to run it in. */
export function withOracle(environment: Environment): {
  readonly environment: Environment
  readonly oracle: Contestant
} {
  let now: Round | null = null
  return {
    environment: {
      ...environment,
      nextRound() {
        now = environment.nextRound()
        return now
      },
    },
    oracle: {
      recommend() {
        if (now === null) throw invalid('no round has begun')
        return { items: environment.bestSlate(now).map((item) => ({ item })) }
      },
      observe() {},
      fineTune() {},
    },
  }
}

// The user of worlds in which every item has a worth: takes the best of a slate, any of equals.

export const slateFeedback = choice(
  'Which rewards are reported: that of the chosen item, or of all shown items',
  ['selected', 'shown'],
  'selected',
)

interface Taking {
  readonly feedback: SettingValue<typeof slateFeedback>
  /** Chooses among equals. */
  readonly random: Random
  /** The reported value of a reward. Defaults to the reward itself. */
  readonly tell?: (reward: number) => number
}

/** What comes of a slate of these rewards; relevant is what no other item would be better than. */
export function takeBest(
  rewards: readonly number[],
  { bestReward, relevantCount }: Pick<Outcome, 'bestReward' | 'relevantCount'>,
  { feedback, random, tell = (reward) => reward }: Taking,
): Outcome {
  const reward = Math.max(...rewards)
  const equals = [...rewards.keys()].filter((slot) => rewards[slot] === reward)
  const taken = equals[random.integer(equals.length)]!
  return {
    reward,
    bestReward,
    reported: rewards.map((value, slot) =>
      feedback === 'shown' || slot === taken ? tell(value) : null,
    ),
    taken: [taken],
    relevant: rewards.map((value) => value === bestReward),
    relevantCount,
  }
}
