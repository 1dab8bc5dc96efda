// Converts the options of `ren serve` into settings of the service, with a model file and its method.

import { invalid, RenError } from '../core/errors.ts'
import { type Architecture, architectureIn } from '../models/index.ts'
import { architectureOf, methodOf, type MethodSettings } from '../recommender/index.ts'
import type { ExcludeSeen } from '../service/serving/request-options.ts'
import type { VariantSettings, LogMessage, ServiceSettings } from '../service/settings.ts'
import { defaults } from '../service/settings.ts'
import { readBytes } from './files.ts'
import { numberSettings } from './number-options.ts'
import type { ServeOptions } from './serve.ts'

/** A variant with the model of a file. The method and settings of the user must fit the file. */
export function withModelOf(
  { description: { model, ...options } }: Architecture,
  usual: VariantSettings,
  { method, set = {} }: { readonly method?: string; readonly set?: MethodSettings },
): VariantSettings {
  const { model: own, policy } = methodOf(method ?? usual.method)
  if (method !== undefined && own !== model) {
    const message = `the model file contains ${model}, but the method ${method} uses ${own}`
    throw invalid(`${message}; use ${model}+${policy}`)
  }
  requireConsistent(options, set)
  return {
    ...usual,
    method: own === model ? (method ?? usual.method) : `${model}+${policy}`,
    settings: {
      // The model was trained to rank; another loss would change the scale of its scores.
      ...(model !== 'matrix-factorization' && { loss: 'ranking' }),
      ...otherSettings(usual),
      ...set,
      ...(options as MethodSettings),
    },
  }
}

/** Settings that are not options of the model. */
function otherSettings({ method, settings = {} }: VariantSettings): MethodSettings {
  const { description } = architectureOf(method)
  return Object.fromEntries(Object.entries(settings).filter(([key]) => !(key in description)))
}

function requireConsistent(options: Readonly<Record<string, unknown>>, set: MethodSettings): void {
  for (const [key, value] of Object.entries(set)) {
    const [expected, got] = [options[key], value].map((one) => JSON.stringify(one))
    if (expected === undefined || expected === got) continue
    throw invalid(`the model file has ${key} ${expected}, which contradicts --set ${key}=${got}`)
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

/** The variants, and their model file if one is given. */
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

/** The service checks the variants. */
async function readVariants(path: string): Promise<readonly VariantSettings[]> {
  const text = (await readBytes(path)).toString()
  try {
    return JSON.parse(text) as readonly VariantSettings[]
  } catch (cause) {
    const message = `${path} must be a JSON list of variants: ${(cause as Error).message}`
    throw new RenError('invalid-argument', message, { cause })
  }
}
