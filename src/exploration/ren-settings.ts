// The settings of REN: flat, as in methods and requests, and nested, as options of the policy.

import { invalid, invalidAt } from '../core/errors.ts'
import {
  choice,
  nonNegativeInteger,
  nonNegativeNumber,
  numberWithin,
  requireSettings,
  share,
} from '../core/settings.ts'
import type { Settings } from '../core/settings.ts'
import type { ExplorationSettings } from '../core/types.ts'
import { designSettings } from './design-matrix.ts'

const diversityWeight = 0.1 // λ_d, for embeddings of lengths around 0.5 and rewards up to 1
/** λ_u = √10·λ_d, as in the paper. */
const uncertaintyPerDiversity = Math.sqrt(10)

/** Of 1/3, 1 and 1/9 the best in our measurements: docs/exploration.md. */
export const usualBonus = 1 / 9

const weightSettings = {
  diversityWeight: nonNegativeNumber(`Weight λ_d of diversity; defaults to ${diversityWeight}`),
  uncertaintyWeight: nonNegativeNumber(
    'Weight λ_u of uncertainty; defaults to √10 times diversityWeight',
  ),
  explorationWeight: share(
    'One weight for any model, instead of diversityWeight and uncertaintyWeight: 0 is greedy, 0.5 is the calibrated amount, 1 uses the bonuses alone',
  ),
} as const

/** How many slots may explore. */
export const shareSettings = {
  exploratoryShare: share(
    'Share of the slots that exploration may fill, averaged over requests. These are the last slots; the others hold the most relevant items. By default, all slots may explore, in order of score',
  ),
  coldExploratoryShare: share(
    'exploratoryShare while little is known about the catalog; defaults to exploratoryShare',
  ),
} as const

const slateSettings = {
  slate: choice(
    'top picks the best items for the history of the user; sequential also counts each pick as history, so that the items differ from each other',
    ['top', 'sequential'],
    'top',
  ),
  ...designSettings,
  exploratorySlots: nonNegativeInteger(
    'Maximum number of items from outside the most relevant ones; by default there is no limit',
  ),
  ...shareSettings,
  // The maxima are far above useful values, and products with them stay within float32.
  typicalBonus: numberWithin('number', { minimum: 0, maximum: 1e6 })(
    'Only with explorationWeight. The bonus of a typical item at a weight of 0.5, in standard deviations of the relevance of the most relevant items; defaults to 1/9',
    usualBonus,
  ),
  newItemWeight: numberWithin('number', { minimum: 0, maximum: 1e6 })(
    'Only with explorationWeight. If above 0, an item without impressions gets this multiple of the bonus that it needs to reach the slate, at a weight of 0.5; 0 scales uncertainty like diversity',
    0,
  ),
} as const

/** The settings of the policy `ren`, flat. */
export const renSettings = { ...weightSettings, ...slateSettings } as const

/** Settings of the policy `ren`; `weights` is required. */
export type RenOptions = ExplorationSettings

/** Turns flat settings into options. λ_u defaults to √10·λ_d, also for a λ_d that is set. */
export function renOptions(settings: Settings<typeof renSettings>): RenOptions {
  const { diversityWeight: diversity, uncertaintyWeight: uncertainty, ...others } = settings
  const { explorationWeight, ...rest } = others
  if (explorationWeight !== undefined) {
    const stray = diversity ?? uncertainty
    if (stray === undefined) return { ...rest, weights: { explorationWeight } }
    throw invalidAt('explorationWeight', 'must be absent with diversityWeight or uncertaintyWeight')
  }
  const own = diversity ?? diversityWeight
  const weights = {
    diversityWeight: own,
    uncertaintyWeight: uncertainty ?? uncertaintyPerDiversity * own,
  }
  return { ...rest, weights }
}

/** Throws if options are unknown, incomplete, contradictory or out of range. */
export function requireRenOptions(options: RenOptions): void {
  const { weights, ...rest } = options ?? {}
  // A weight beside `weights` would change nothing.
  const unknown = Object.keys(rest).filter((name) => !Object.hasOwn(slateSettings, name))
  if (unknown.length > 0) {
    const names = ['weights', ...Object.keys(slateSettings)].join(', ')
    throw invalid(
      `ren has no option ${unknown.join(', ')}; it has ${names}, ` +
        'with explorationWeight, or diversityWeight and uncertaintyWeight, in weights',
      unknown[0],
    )
  }
  const given: Readonly<Record<string, unknown>> = { ...weights }
  const names =
    given['explorationWeight'] === undefined
      ? ['diversityWeight', 'uncertaintyWeight']
      : ['explorationWeight']
  if (names.some((name) => given[name] === undefined)) {
    throw invalidAt(
      'weights',
      'must have diversityWeight and uncertaintyWeight, or explorationWeight',
    )
  }
  const stray = Object.keys(given).find((name) => !names.includes(name))
  if (stray !== undefined)
    throw invalidAt(`weights.${stray}`, `must be absent with ${names.join()}`)
  requireSettings('ren', renSettings, { ...rest, ...given })
}
