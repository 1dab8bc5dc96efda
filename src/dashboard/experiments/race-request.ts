// From the form to what the service is asked for; and from its refusal to the field that is meant.

import type { impressionWorlds } from '../../experiments/worlds/impressions.ts'
import type { movielensWorlds } from '../../experiments/worlds/movielens.ts'
import type { synWorlds } from '../../experiments/worlds/syn.ts'
import type { PresetName } from '../../recommender/index.ts'
import type { RunRequest } from '../../service/index.ts'

type WorldName =
  | keyof typeof synWorlds
  | keyof typeof movielensWorlds
  | Exclude<keyof typeof impressionWorlds, 'impressions'>

/** Those that need no path in their settings. */
export const worlds: Readonly<Record<WorldName, string>> = {
  'syn-s': '28 items',
  'syn-m': '280 items',
  'syn-l': '1,400 items',
  'ml-1m': 'needs MovieLens 1M',
  mind: 'needs MIND',
  trivago: 'needs Trivago',
  'trivago-made': 'made up',
}

/** The first that is chosen is what the others are compared with. */
export const methods: Readonly<Partial<Record<PresetName | 'oracle', string>>> = {
  gru4rec: 'greedy',
  'ren-g': 'REN on GRU4Rec',
  tcn: 'greedy',
  'ren-t': 'REN on TCN',
  'epsilon-greedy': 'GRU4Rec',
  'lin-ucb': 'GRU4Rec',
  'lin-ts': 'GRU4Rec',
  popularity: 'same for all',
  random: 'at random',
  oracle: 'knows the world',
}

/** Everything as it was typed. */
export interface RaceForm {
  readonly world: string
  readonly methods: readonly string[]
  /** More methods, with commas between. */
  readonly more: string
  /** As many as the world has, where it is empty. */
  readonly steps: string
  readonly seeds: string
}

export const usualRace: RaceForm = {
  world: 'syn-s',
  methods: ['gru4rec', 'ren-g', 'random'],
  more: '',
  steps: '500',
  seeds: '1..3',
}

export type RaceField = 'world' | 'methods' | 'steps' | 'seeds'

export function raceRequest({ world, methods: chosen, more, steps, seeds }: RaceForm): RunRequest {
  const typed = more.split(',').map((method) => method.trim())
  // In the order of the list, whichever was ticked first.
  const listed = Object.keys(methods).filter((method) => chosen.includes(method))
  return {
    kind: 'race',
    settings: {
      world,
      methods: [...listed, ...typed.filter((method) => method !== '')],
      ...(seeds.trim() !== '' && { seeds: seeds.trim() }),
      ...(steps.trim() !== '' && { worldSettings: { steps: Number(steps) } }),
    },
  }
}

const places: readonly (readonly [RaceField, RegExp])[] = [
  ['methods', /^(settings: )?methods\b|no method is called/],
  ['seeds', /^(settings: )?seeds\b/],
  ['steps', /\bsteps\b/],
  ['world', /^(settings: )?world\b/],
]

/** Null where the whole is meant. */
export const fieldOf = (message: string): RaceField | null =>
  places.find(([, words]) => words.test(message))?.[0] ?? null
