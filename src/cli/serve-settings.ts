// The settings of the service from the options of `ren serve`, with the model file and its method.

import { readFile } from 'node:fs/promises'

import { RenError } from '../core/errors.ts'
import type { Architecture } from '../models/index.ts'
import { architectureIn } from '../models/index.ts'
import { architectureOf, methodOf } from '../recommender/index.ts'
import type { MethodSettings } from '../recommender/index.ts'
import type { ExcludeSeen } from '../service/serving/seen-exclusion.ts'
import type { VariantSettings, LogMessage, ServiceSettings } from '../service/settings.ts'
import { defaults } from '../service/settings.ts'
import { describeFailure } from './files.ts'
import { numberSettings } from './number-options.ts'
import type { ServeOptions } from './serve.ts'

/** What the user named; the rest gives way to the file. */
export interface ChosenMethod {
  readonly method?: string
  readonly set?: MethodSettings
}

/** A variant with the model of a file. */
export function withModelOf(
  { description: { model, ...options } }: Architecture,
  usual: VariantSettings,
  { method, set = {} }: ChosenMethod,
): VariantSettings {
  const { model: own, policy } = methodOf(method ?? usual.method)
  if (method !== undefined && own !== model) {
    const message = `the model file holds ${model}, and the method ${method} has ${own}`
    throw new RenError('invalid-argument', `${message}: use ${model}+${policy}`)
  }
  requireSame(options, set)
  return {
    ...usual,
    method: own === model ? (method ?? usual.method) : `${model}+${policy}`,
    settings: {
      // The model learned to rank, and continues so: another loss would teach it another scale.
      ...(model !== 'matrix-factorisation' && { loss: 'ranking' }),
      ...settingsBeside(usual),
      ...set,
      ...(options as MethodSettings),
    },
  }
}

/** Settings that are no options of the model. */
function settingsBeside({ method, settings = {} }: VariantSettings): MethodSettings {
  const { description } = architectureOf(method)
  return Object.fromEntries(Object.entries(settings).filter(([key]) => !(key in description)))
}

function requireSame(options: Readonly<Record<string, unknown>>, set: MethodSettings): void {
  for (const [key, value] of Object.entries(set)) {
    const [expected, got] = [options[key], value].map((one) => JSON.stringify(one))
    if (expected === undefined || expected === got) continue
    throw new RenError(
      'invalid-argument',
      `the model file has ${key} ${expected}: --set ${key}=${got} does not fit it`,
    )
  }
}

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
