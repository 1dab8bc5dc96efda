// The choices of the playground, with labels.

import { presets, type PresetName } from '../../recommender/presets.ts'
import type { ComparisonSetup } from './comparison.ts'

const listed: readonly PresetName[] = [
  'ren-g',
  'gru4rec',
  'epsilon-greedy',
  'ren-1-3',
  'ren-1-2',
  'lin-ucb',
  'lin-ts',
  'popularity',
  'random',
]

export const methods: Readonly<Record<string, string>> = {
  ...Object.fromEntries(listed.map((name) => [name, presets[name].title])),
  oracle: 'oracle, which knows the tastes',
}

/** By the number of copies of each item. */
export const sizes: Readonly<Record<string, string>> = {
  1: 'SYN-S, 28 items',
  10: 'SYN-M, 280 items',
  50: 'SYN-L, 1,400 items',
}

export const feedbacks = {
  shown: 'a reward for each item shown',
  selected: 'only the reward of the chosen item',
} as const

export const noises = {
  none: 'no noise',
  gaussian: 'normal noise',
  bernoulli: 'clicks, with the reward as probability',
} as const

export const first: ComparisonSetup = {
  world: { repeats: 1, feedback: 'shown', noise: 'none', drift: false, arrivalEvery: 0 },
  methods: ['ren-g', 'gru4rec'],
  seeds: 3,
  rounds: 600,
}
