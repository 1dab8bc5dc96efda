// The choices of the playground, with labels.

import type { RaceSetup } from './race.ts'

export const methods: Readonly<Record<string, string>> = {
  'ren-g': 'REN on GRU4Rec',
  gru4rec: 'greedy GRU4Rec',
  'epsilon-greedy': 'ε-greedy GRU4Rec',
  'ren-1-3': 'REN without diversity',
  'ren-1-2': 'REN without uncertainty',
  'lin-ucb': 'LinUCB on GRU4Rec',
  'lin-ts': 'Thompson sampling on GRU4Rec',
  popularity: 'popularity',
  random: 'random',
  oracle: 'oracle, which knows the tastes',
}

export const sizes: readonly { readonly repeats: number; readonly words: string }[] = [
  { repeats: 1, words: 'SYN-S, 28 items' },
  { repeats: 10, words: 'SYN-M, 280 items' },
  { repeats: 50, words: 'SYN-L, 1,400 items' },
]

export const feedbacks = {
  shown: 'a reward for each item shown',
  selected: 'only the reward of the chosen item',
} as const

export const noises = {
  none: 'no noise',
  gaussian: 'normal noise',
  bernoulli: 'clicks, with the reward as probability',
} as const

export const first: RaceSetup = {
  world: { repeats: 1, feedback: 'shown', noise: 'none', drift: false, arrivalEvery: 0 },
  methods: ['ren-g', 'gru4rec'],
  seeds: 3,
  rounds: 600,
}
