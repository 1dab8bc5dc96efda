// The method that serves a model file: its model, with the policy and the settings that the options
// name.

import { RenError } from '../core/errors.ts'
import type { Architecture } from '../models/index.ts'
import { architectureOf, methodOf } from '../recommender/index.ts'
import type { MethodSettings } from '../recommender/index.ts'
import type { VariantSettings } from '../service/settings.ts'

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
