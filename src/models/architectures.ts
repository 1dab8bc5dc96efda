// The architectures by name, with the schemas of their settings.

import { describeValue } from '../core/describe-value.ts'
import { invalid } from '../core/errors.ts'
import type { SettingsInput, SettingsSchema } from '../core/settings.ts'
import { gru4rec } from './gru4rec.ts'
import { gru4recParity } from './gru4rec-parity.ts'
import { hrnn } from './hrnn.ts'
import { matrixFactorization } from './matrix-factorization.ts'
import { mlp } from './mlp.ts'
import { sasrec } from './sasrec.ts'
import type { Architecture, ArchitectureFactory } from './sequence-model.ts'
import { tcn } from './tcn.ts'

/**
 * The factory of each built-in architecture, by name. Its `settings` are the schemas of the
 * settings, with descriptions, defaults and bounds.
 */
export const architectures = {
  gru4rec,
  'gru4rec-parity': gru4recParity,
  tcn,
  hrnn,
  sasrec,
  mlp,
  'matrix-factorization': matrixFactorization,
} as const

/** The name of a built-in architecture. */
export type ModelName = keyof typeof architectures
/** The names of all built-in architectures. */
export const modelNames = Object.keys(architectures) as readonly ModelName[]

/**
 * Creates an architecture from its description: `model` is its name, the other keys are its
 * settings. A description may include values that follow from the settings; they must match.
 */
export function createArchitecture(
  description: Readonly<Record<string, unknown>> & { readonly model: string },
): Architecture {
  const { model, ...options } = description
  // A description from a file may hold anything.
  if (typeof model !== 'string' || !Object.hasOwn(architectures, model)) {
    throw invalid(`model must be one of ${modelNames.join(', ')}, got ${describeValue(model)}`)
  }
  const create = architectures[model as ModelName] as ArchitectureFactory
  const given = Object.entries(options as SettingsInput<SettingsSchema>)
  const isDerived = ([key]: readonly [string, unknown]): boolean =>
    !Object.hasOwn(create.settings, key) && key in create().description
  const architecture = create(Object.fromEntries(given.filter((entry) => !isDerived(entry))))
  for (const [key, value] of given.filter(isDerived)) {
    if (architecture.description[key] === value) continue
    throw invalid(`${model}: ${key} follows from the settings and cannot be set`)
  }
  return architecture
}
