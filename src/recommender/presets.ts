// The methods of the paper and their baselines by name. Data only, so that the dashboard can list
// them without loading models and policies.

import type { PolicyName, PolicySettings } from '../exploration/index.ts'
import type { ModelName } from '../models/index.ts'

/** A model and a policy, with the settings of the policy. */
export interface Method {
  /** The architecture of the model, such as `gru4rec`. */
  readonly model: ModelName
  /** The policy that picks the slates, such as `ren`. */
  readonly policy: PolicyName
  /** Settings of the policy. Each defaults to that of the policy. */
  readonly settings?: PolicySettings
}

/** A method with its own name. */
export interface Preset extends Method {
  /** A short description. */
  readonly title: string
}

/** In the paper's runs only items with a reward above 0 join A_t. */
const paperSettings = { designMatrix: 'rewarded' } as const

/** The presets by name: the methods of the paper and their baselines. */
export const presets = {
  gru4rec: { title: 'greedy GRU4Rec', model: 'gru4rec', policy: 'greedy' },
  tcn: { title: 'greedy TCN', model: 'tcn', policy: 'greedy' },
  hrnn: { title: 'greedy HRNN', model: 'hrnn', policy: 'greedy' },
  sasrec: { title: 'greedy SASRec', model: 'sasrec', policy: 'greedy' },
  mlp: { title: 'greedy MLP', model: 'mlp', policy: 'greedy' },
  'matrix-factorization': {
    title: 'greedy matrix factorization',
    model: 'matrix-factorization',
    policy: 'greedy',
  },
  'ren-g': { title: 'REN on GRU4Rec', model: 'gru4rec', policy: 'ren', settings: paperSettings },
  'ren-t': { title: 'REN on TCN', model: 'tcn', policy: 'ren', settings: paperSettings },
  'ren-h': { title: 'REN on HRNN', model: 'hrnn', policy: 'ren', settings: paperSettings },
  'ren-1-2': {
    title: 'REN without uncertainty',
    model: 'gru4rec',
    policy: 'ren',
    settings: { ...paperSettings, uncertaintyWeight: 0 },
  },
  'ren-1-3': {
    title: 'REN without diversity',
    model: 'gru4rec',
    policy: 'ren',
    // The default λ_u, which would be 0 here: √10 times the default λ_d.
    settings: { ...paperSettings, diversityWeight: 0, uncertaintyWeight: Math.sqrt(10) * 0.1 },
  },
  'epsilon-greedy': { title: 'ε-greedy on GRU4Rec', model: 'gru4rec', policy: 'epsilon-greedy' },
  'lin-ucb': {
    title: 'LinUCB on GRU4Rec',
    model: 'gru4rec',
    policy: 'lin-ucb',
    settings: paperSettings,
  },
  'lin-ts': {
    title: 'Thompson sampling on GRU4Rec',
    model: 'gru4rec',
    policy: 'lin-ts',
    settings: paperSettings,
  },
  random: { title: 'random', model: 'gru4rec', policy: 'random' },
  popularity: { title: 'popularity', model: 'gru4rec', policy: 'popularity' },
  'champion-random': {
    title: 'last choice, then random items',
    model: 'gru4rec',
    policy: 'champion-random',
  },
} as const satisfies Readonly<Record<string, Preset>>

/** The name of a preset, such as `ren-g`. */
export type PresetName = keyof typeof presets
/** The names of all presets. */
export const presetNames = Object.keys(presets) as readonly PresetName[]
