// The architecture that --model and its --option key=value pairs describe.

import { RenError } from '../core/errors.ts'
import { createArchitecture } from '../models/index.ts'
import type { Architecture, ModelName } from '../models/index.ts'
import type { OptionValue } from './option-values.ts'

/** Options are held to the kind of their defaults, since a command line has only texts. */
export function architectureFrom(
  model: ModelName,
  options: Readonly<Record<string, OptionValue>>,
): Architecture {
  const { description: defaults } = createArchitecture({ model })
  for (const [key, value] of Object.entries(options)) {
    const usual = defaults[key]
    if (usual === undefined || typeof value === typeof usual) continue
    throw invalid(
      `${model}: expected ${key} to be a ${typeof usual}, such as ${JSON.stringify(usual)}, got ${value}`,
    )
  }
  const architecture = createArchitecture({ ...options, model })
  for (const [key, value] of Object.entries(options)) {
    if (architecture.description[key] === value) continue
    throw invalid(`${model}: ${key} follows from the rest and cannot be set`)
  }
  return architecture
}

const invalid = (message: string): RenError => new RenError('invalid-argument', message)
