// Settings of the demo: its variants, the copies of the world they play in, the pace, and the names
// of items and users.

import type { VariantSettings, LogMessage, ServiceSettings } from '../../service/index.ts'
import { pairs, synDimension } from '../../simulation/syn.ts'
import type { ItemPut } from '../../storage/index.ts'

// The eight dimensions of the paper's SYN-S world are tastes: each of its 28 items has two, and each
// user likes three. The names are for people; no model reads them.

const tastes = ['bitter', 'fruity', 'nutty', 'salty', 'smoky', 'sour', 'spicy', 'sweet'] as const

const wordsOf = (dimensions: Iterable<number>): readonly string[] =>
  [...dimensions].map((dimension) => tastes[dimension]!).toSorted()

export const itemName = (dimensions: Iterable<number>): string => wordsOf(dimensions).join(' + ')

/** `number` tells apart who likes the same. */
export const userName = (number: number, likes: Iterable<number>): string =>
  `simulated ${number} (${wordsOf(likes).join(', ')})`

/** The items of every copy of the world. */
export const catalog = (): readonly ItemPut[] =>
  pairs().map((pair) => ({
    item: itemName(pair),
    attributes: { tastes: wordsOf(pair), taste: tastes[colourOf(pair)]! },
  }))

/** One of its two, so that each taste is that of three or four items: a map has one colour an item. */
function colourOf([low, high]: readonly [number, number]): number {
  const half = synDimension / 2
  const isNear = high - low < half || (high - low === half && low % 2 === 0)
  return isNear ? low : high
}

/** How fast it goes, and how long. */
export interface Pace {
  readonly rounds: number
  /** So many rounds, then everybody's model learns from them, and the next begin. */
  readonly learnEvery: number
  /** The reward climbs until then. Later there is little to see, so the demo leaves the machine idle. */
  readonly climb: number
  /** Milliseconds from one time of learning to the next, at least: in the climb, and after it. */
  readonly interval: readonly [climbing: number, after: number]
}

export const usualPace: Pace = { rounds: 2000, learnEvery: 5, climb: 600, interval: [200, 1000] }

/** Fixed before anything was run with them: they are the first, not the best. */
export const seeds: readonly number[] = [1, 2, 3]

const policies = [
  { policy: 'REN', method: 'ren-g' },
  { policy: 'greedy', method: 'gru4rec' },
] as const

/** One policy in the copy of the world that a seed makes. */
export interface Entrant extends Required<Omit<VariantSettings, 'share'>> {
  readonly policy: string
  readonly seed: number
}

// As in the paper's experiments: all users are looked at again at every update.
const learningAlike = { optimizer: 'adam', replay: 1000 }

export const entrantsOf = (seedsPlayed: readonly number[] = seeds): readonly Entrant[] =>
  seedsPlayed.flatMap((seed) =>
    policies.map(({ policy, method }) => {
      return { name: `${policy} ${seed}`, policy, seed, method, settings: learningAlike }
    }),
  )

/** Each variant has a model of its own: what REN finds out teaches no other. */
export function demoSettings(
  store: ServiceSettings['store'],
  entrants: readonly Entrant[],
  onLogMessage: (logMessage: LogMessage) => void,
): ServiceSettings {
  return {
    store,
    variants: entrants.map(({ name, method, settings }) => ({ name, method, settings })),
    models: 'own',
    // The paper's score, on the model alone.
    relevance: 'model',
    // Nothing is said of some items that were shown: that does not make them worth 0.
    attributionWindow: Number.MAX_VALUE,
    // The demo says when to learn, so that it runs alike on every machine; this is for what
    // others tell when it is over.
    learning: { everyEvents: Infinity, everySeconds: 30 },
    onLogMessage,
  }
}
