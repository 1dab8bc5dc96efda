// The interfaces of simulation: a world requests slates, responds to them, and knows the best slate.

import type { RecommendRequest, Recommendation, RenEvent } from '../recommender/index.ts'
import { invalid } from '../core/errors.ts'

/** One request of a world: which user needs a slate now, and from which items. */
export interface Round {
  /** Counted from 1. */
  readonly step: number
  /** The user who needs a slate. */
  readonly user: string
  /** The time of the request, on the clock of the world. */
  readonly time: number
  /** The number of requested items. */
  readonly count: number
  /** Items that may be shown. Defaults to the whole catalog. */
  readonly candidates?: readonly string[]
  /** Items that may not be shown. Defaults to none. */
  readonly exclude?: readonly string[]
  /** Other events since the last round, to observe before the request. Defaults to none. */
  readonly newEvents?: readonly RenEvent[]
  /** Whether an interval ends with this round. The contestant then fine-tunes. */
  readonly endsInterval: boolean
}

/** The result of a slate. Each list has one entry per slot. */
export interface Outcome {
  /** The reward of the round, without noise. */
  readonly reward: number
  /** The reward of the best slate. */
  readonly bestReward: number
  /** The reported reward of each item; null if none is reported. */
  readonly reported: readonly (number | null)[]
  /** Chosen slots, in the order of the choices; the reward of each is reported. */
  readonly chosen: readonly number[]
  /** Whether the user wanted each item, for precision and similar metrics. */
  readonly relevant: readonly boolean[]
  /** The number of items that the user wanted. */
  readonly relevantCount: number
}

/** The events before the first round, and how often to fine-tune on them. */
export interface WarmUp {
  /** The events to observe, in order. */
  readonly events: readonly RenEvent[]
  /** How often to fine-tune after the last event. */
  readonly fineTunes: number
}

/** A simulated world: it sends requests, responds to slates, and knows the best slate. */
export interface Environment {
  /** The name of the world, in messages. */
  readonly name: string
  /** The names of all items that may ever be shown. */
  readonly itemNames: readonly string[]
  /**
   * The dimension of the vectors with which items join, in `items-put` events; recommenders then
   * start with an empty catalog and a model of this dimension. Absent if items have no vectors:
   * recommenders then start with all items.
   */
  readonly vectorDimension?: number
  /** The number of rounds. */
  readonly steps: number
  /** What happens before the first round. Defaults to nothing. */
  readonly warmUp?: WarmUp
  /** Returns the next round, or null at the end. Respond to a round before requesting the next. */
  nextRound(): Round | null
  /** Returns what the user of the round does with a slate. */
  respond(round: Round, slate: readonly string[]): Outcome
  /** Returns a slate with the highest reward. */
  bestSlate(round: Round): readonly string[]
  /** From 0 for equal items to 1 or more, for the diversity metric. Absent if unknown. */
  dissimilarity?(first: string, second: string): number
  /** How much users like an item, for the hindsight baseline. Absent if unknown. */
  popularity?(item: string): number
}

/** A recommended item, and its relevance if the contestant states it. */
export type RankedItem = Pick<Recommendation['items'][number], 'item'> &
  Partial<Pick<Recommendation['items'][number], 'relevance'>>

/** A participant of a simulation: a recommender, or a baseline with the same methods. */
export interface Contestant {
  /** Returns a slate for a round. */
  recommend(request: RecommendRequest): {
    /** The slate, first slot first. */
    readonly items: readonly RankedItem[]
  }
  /** Receives an event of the simulation. */
  observe(event: RenEvent): void
  /**
   * Learns from the events since the last call, at the end of an interval. The result is ignored.
   */
  fineTune(): unknown
}

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

/** Returns the event with which items join the catalog with their vectors. */
export const joinEvent = (vectors: Iterable<readonly [string, readonly number[]]>): RenEvent => ({
  kind: 'items-put',
  items: Array.from(vectors, ([item, embedding]) => ({ item, embedding })),
})

/** Returns the fields of a world whose items join with these vectors before the first round. */
export const startWithVectors = (vectors: ReadonlyMap<string, readonly number[]>) => ({
  vectorDimension: vectors.values().next().value!.length,
  warmUp: { events: [joinEvent(vectors)], fineTunes: 0 },
})
