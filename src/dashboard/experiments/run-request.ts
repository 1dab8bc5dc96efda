// Converts the form into a request, and the path of an error into the field that it concerns.

import type { contentWorlds, synWorlds } from '../../experiments/worlds/index.ts'
import { presets } from '../../recommender/presets.ts'
import type { RunRequest } from '../../service/index.ts'

type WorldName = keyof typeof synWorlds | keyof typeof contentWorlds

/** Worlds that need no file path. */
export const worlds: Readonly<Record<WorldName, string>> = {
  'syn-s': '28 items',
  'syn-m': '280 items',
  'syn-l': '1,400 items',
  'new-users': '28 known items',
  'find-the-genre': '200 known items',
  'cold-content': 'a new item per round',
}

/** The first selected method is the base of the comparison. */
export const methods: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(presets).map(([name, { title }]) => [name, title])),
  oracle: 'knows the world',
}

/** All values as typed. */
export interface RunForm {
  readonly world: string
  readonly methods: readonly string[]
  /** More methods, comma-separated. */
  readonly more: string
  /** Defaults to the steps of the world. */
  readonly steps: string
  readonly seeds: string
}

export const defaultRun: RunForm = {
  world: 'syn-s',
  methods: ['gru4rec', 'ren-g', 'random'],
  more: '',
  steps: '500',
  seeds: '1..3',
}

export type RunField = 'world' | 'methods' | 'steps' | 'seeds'

export function runRequest({ world, methods: chosen, more, steps, seeds }: RunForm): RunRequest {
  const typed = more.split(',').map((method) => method.trim())
  // In list order.
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

/** The paths of the fields in a request. */
const paths: Readonly<Record<RunField, string>> = {
  world: 'settings.world',
  methods: 'settings.methods',
  steps: 'settings.worldSettings.steps',
  seeds: 'settings.seeds',
}

/** The field that an error concerns, by its path; null if it concerns no single field. */
export const fieldOf = (path: string | undefined): RunField | null =>
  (Object.keys(paths) as RunField[]).find(
    (field) => path?.startsWith(paths[field]) && /^$|[.[]/.test(path[paths[field].length] ?? ''),
  ) ?? null
