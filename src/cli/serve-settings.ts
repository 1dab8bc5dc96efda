// The service settings that the options of a command give.

import { readFile } from 'node:fs/promises'

import { RenError } from '../core/errors.ts'
import type { ExcludeSeen } from '../service/exclude-seen.ts'
import { defaults } from '../service/settings.ts'
import type { ArmSettings, LogMessage, ServiceSettings } from '../service/settings.ts'
import { architectureIn } from '../models/index.ts'
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
): Promise<Pick<ServiceSettings, 'arms' | 'modelFile'>> {
  const { modelFile: path, arms, method, set } = options
  const modelFile = path === undefined ? undefined : await readBytes(path)
  const file = modelFile && { modelFile }
  if (arms !== undefined) return { arms: await readArms(arms), ...file }
  const [usual] = defaults.arms
  if (modelFile) return { arms: [withModelOf(architectureIn(modelFile), usual, options)], ...file }
  if (method !== undefined) return { arms: [{ name: usual.name, method, settings: set ?? {} }] }
  return { arms: [{ ...usual, settings: { ...usual.settings, ...set } }] }
}

const readBytes = (path: string): Promise<Uint8Array> =>
  readFile(path).catch((cause: unknown) => {
    throw new RenError('file-missing', describeFailure('read', path, cause), { cause })
  })

/** What the arms hold is checked where the service takes them in. */
async function readArms(path: string): Promise<readonly ArmSettings[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new RenError('file-missing', describeFailure('read', path, cause), { cause })
  })
  try {
    return JSON.parse(text) as readonly ArmSettings[]
  } catch (cause) {
    const message = `${path}: expected a JSON list of arms, ${(cause as Error).message}`
    throw new RenError('invalid-argument', message, { cause })
  }
}
