// How far the numbers of a request may go. What one caller asks for must neither hold up the others
// nor make scores that are no numbers; the settings of variants, which the owner chooses, have no limits.

import { requireWithin } from '../exploration/requirements.ts'

/** Of weights, scales and boosts, up or down: float32 has room for their products and sums. */
export const largestWeight = 1e6

/** What takes time: twice of what is usual of each. */
export const maxOfSetting: Readonly<Record<string, number>> = {
  steps: 100,
  unitPairs: 16,
  propensityDraws: 200,
}

/** Refuses numbers beyond the limits; what is no finite number is for others to refuse. */
export function requireLimits(what: string, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'number' || !Number.isFinite(value)) continue
    const most = Object.hasOwn(maxOfSetting, name) ? maxOfSetting[name] : largestWeight
    requireWithin(`${what}.${name}`, value, -largestWeight, most)
  }
}
