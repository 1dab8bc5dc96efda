// Settings of the demo: its variants, their copies of the world, the pace, and the names of items and
// users.

import type { VariantSettings, LogMessage, ServiceSettings } from '../../service/index.ts'
import { pairs, synDimension } from '../../simulation/syn.ts'
import type { ItemPut } from '../../storage/index.ts'

/**
 * Names for the eight dimensions of the paper's SYN-S world: each of its 28 items has two tastes, and
 * each user likes three. No model reads them.
 */
const tastes = ['bitter', 'fruity', 'nutty', 'salty', 'smoky', 'sour', 'spicy', 'sweet'] as const

const wordsOf = (dimensions: Iterable<number>): readonly string[] =>
  [...dimensions].map((dimension) => tastes[dimension]!).toSorted()

export const itemName = (dimensions: Iterable<number>): string => wordsOf(dimensions).join(' + ')

/** `number` distinguishes users with the same tastes. */
export const userName = (number: number, likes: Iterable<number>): string =>
  `simulated ${number} (${wordsOf(likes).join(', ')})`

/** The items of every copy of the world. */
export const catalog = (): readonly ItemPut[] =>
  pairs().map((pair) => ({
    item: itemName(pair),
    attributes: { tastes: wordsOf(pair), taste: tastes[mainTasteOf(pair)]! },
  }))

/** One taste per item for the colors of the map, such that each taste has three or four items. */
function mainTasteOf([low, high]: readonly [number, number]): number {
  const half = synDimension / 2
  const isNear = high - low < half || (high - low === half && low % 2 === 0)
  return isNear ? low : high
}

/** The speed and the length of the demo. */
export interface Pace {
  readonly rounds: number
  /** Rounds between two training steps of all models. */
  readonly learnEvery: number
  /** The round until which the reward climbs. Later changes are small, and the demo slows down. */
  readonly climb: number
  /** The minimum time between two training steps in milliseconds, during the climb and after it. */
  readonly interval: readonly [climbing: number, after: number]
}

export const defaultPace: Pace = { rounds: 2000, learnEvery: 5, climb: 600, interval: [200, 1000] }

/** Chosen before any run: the first seeds, not the best. */
export const seeds: readonly number[] = [1, 2, 3]

const policies = [
  { policy: 'REN', method: 'ren-g' },
  { policy: 'greedy', method: 'gru4rec' },
] as const

/** One policy in the copy of the world with one seed. */
export interface Entrant extends Required<Omit<VariantSettings, 'share'>> {
  readonly policy: string
  readonly seed: number
}

// As in the paper's experiments, every update trains on all users.
const trainingSettings = { optimizer: 'adam', replay: 1000 }

export const entrantsOf = (seedsPlayed: readonly number[] = seeds): readonly Entrant[] =>
  seedsPlayed.flatMap((seed) =>
    policies.map(({ policy, method }) => {
      return { name: `${policy} ${seed}`, policy, seed, method, settings: trainingSettings }
    }),
  )

/** Each variant has its own model, so that REN's exploration does not help the others. */
export function demoSettings(
  store: ServiceSettings['store'],
  entrants: readonly Entrant[],
  onLogMessage: (logMessage: LogMessage) => void,
): ServiceSettings {
  return {
    store,
    variants: entrants.map(({ name, method, settings }) => ({ name, method, settings })),
    models: 'own',
    // The paper's score uses the model alone.
    relevance: 'model',
    // The demo does not report some of the shown items; they must not get reward 0.
    attributionWindow: Number.MAX_VALUE,
    // The demo starts training itself, so that all machines show the same curves. These settings are
    // for other clients after its end.
    learning: { everyEvents: Infinity, everySeconds: 30 },
    onLogMessage,
  }
}
