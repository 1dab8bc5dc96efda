// Every architecture by name: what a file's description or a command line's --model refers to.

import { invalid } from '../core/errors.ts'
import { gru4rec } from './gru4rec.ts'
import { gru4recParity } from './gru4rec-parity.ts'
import { hrnn } from './hrnn.ts'
import { matrixFactorisation } from './matrix-factorisation.ts'
import { mlp } from './mlp.ts'
import { sasrec } from './sasrec.ts'
import type { Architecture } from './sequence-model.ts'
import { tcn } from './tcn.ts'

/** The factory of each built-in architecture, by name. All options have defaults. */
export const architectures = {
  gru4rec,
  'gru4rec-parity': gru4recParity,
  tcn,
  hrnn,
  sasrec,
  mlp,
  'matrix-factorisation': matrixFactorisation,
} as const

/** The name of a built-in architecture. */
export type ModelName = keyof typeof architectures
/** The names of all built-in architectures. */
export const modelNames = Object.keys(architectures) as readonly ModelName[]

/**
 * Creates an architecture from its description: `model` is its name, the other keys are its
 * options. An unknown option is an error.
 */
export function createArchitecture(
  description: Readonly<Record<string, unknown>> & { readonly model: string },
): Architecture {
  const { model, ...options } = description
  if (!Object.hasOwn(architectures, model)) {
    throw invalid(`no model is called ${model}; there are ${modelNames.join(', ')}`)
  }
  const create = architectures[model as ModelName] as (options: object) => Architecture
  const architecture = create(options)
  const unknown = Object.keys(options).filter((key) => !(key in architecture.description))
  if (unknown.length > 0) {
    const known = Object.keys(architecture.description).filter((key) => key !== 'model')
    throw invalid(`${model} has no option ${unknown.join(', ')}; it has ${known.join(', ')}`)
  }
  return architecture
}
