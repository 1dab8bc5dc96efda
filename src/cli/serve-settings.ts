// The service settings that the options of a command give.

import { readFile } from 'node:fs/promises'

import { RenError } from '../core/errors.ts'
import { architectureIn } from '../models/index.ts'
import type { ExcludeSeen } from '../service/serving/seen-exclusion.ts'
import { defaults } from '../service/settings.ts'
import type { VariantSettings, LogMessage, ServiceSettings } from '../service/settings.ts'
import { describeFailure } from './file-failure.ts'
import { withModelOf } from './model-method.ts'
import { numberSettings } from './number-options.ts'
import type { ServeOptions } from './serve.ts'

export async function serviceSettings(
  options: ServeOptions,
  onLogMessage: (logMessage: LogMessage) => void,
): Promise<ServiceSettings> {
  const numbers = numberSettings(options)
  return {
    store: options.store,
    ...(await variantsOf(options)),
    models: options.models,
    relevance: options.relevance,
    seed: options.seed,
    impressions: options.impressions,
    excludeSeen: asExcludeSeen(options.excludeSeen),
    attributionWindow: 1000 * options.attributionWindow,
    ...numbers,
    learning: {
      ...numbers.learning,
      enabled: options.learning,
      fullTraining: { enabled: options.fullTraining },
    },
    skipDamaged: options.skipDamaged ?? false,
    onLogMessage,
  }
}

function asExcludeSeen(option: ServeOptions['excludeSeen']): ExcludeSeen {
  return option === 'true' || option === 'false' ? option === 'true' : option
}

/** The variants, and the model file that they serve where one is given. */
async function variantsOf(
  options: ServeOptions,
): Promise<Pick<ServiceSettings, 'variants' | 'modelFile'>> {
  const { modelFile: path, variants, method, set } = options
  const modelFile = path === undefined ? undefined : await readBytes(path)
  const file = modelFile && { modelFile }
  if (variants !== undefined) return { variants: await readVariants(variants), ...file }
  const [usual] = defaults.variants
  if (modelFile)
    return { variants: [withModelOf(architectureIn(modelFile), usual, options)], ...file }
  if (method !== undefined) return { variants: [{ name: usual.name, method, settings: set ?? {} }] }
  return { variants: [{ ...usual, settings: { ...usual.settings, ...set } }] }
}

const readBytes = (path: string): Promise<Uint8Array> =>
  readFile(path).catch((cause: unknown) => {
    throw new RenError('file-missing', describeFailure('read', path, cause), { cause })
  })

/** What the variants hold is checked where the service takes them in. */
async function readVariants(path: string): Promise<readonly VariantSettings[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new RenError('file-missing', describeFailure('read', path, cause), { cause })
  })
  try {
    return JSON.parse(text) as readonly VariantSettings[]
  } catch (cause) {
    const message = `${path}: expected a JSON list of variants, ${(cause as Error).message}`
    throw new RenError('invalid-argument', message, { cause })
  }
}
