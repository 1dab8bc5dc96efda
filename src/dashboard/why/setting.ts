// The exploration setting, and its form in the URL.

import type { ExplorationChoice } from '../../service/index.ts'

export type Setting =
  /** As the user's variant serves. */
  | { readonly kind: 'own' }
  | { readonly kind: 'one'; readonly weight: number }
  | { readonly kind: 'two'; readonly diversityWeight: number; readonly uncertaintyWeight: number }

type Params = Readonly<Record<string, string>>

/** `suffix` distinguishes the two settings of a comparison; null if the URL has none. */
export function readSetting(params: Params, suffix: string): Setting | null {
  const weight = params[`weight${suffix}`]
  if (weight === 'own') return { kind: 'own' }
  const [one, diversityWeight, uncertaintyWeight] = [
    numberOf(weight),
    numberOf(params[`diversity${suffix}`]),
    numberOf(params[`uncertainty${suffix}`]),
  ]
  if (one !== null) return { kind: 'one', weight: Math.min(1, one) }
  if (diversityWeight === null && uncertaintyWeight === null) return null
  return {
    kind: 'two',
    diversityWeight: diversityWeight ?? 0,
    uncertaintyWeight: uncertaintyWeight ?? 0,
  }
}

export function writeSetting(setting: Setting | null, suffix: string): Params {
  if (setting === null) return {}
  if (setting.kind === 'own') return { [`weight${suffix}`]: 'own' }
  if (setting.kind === 'one') return { [`weight${suffix}`]: String(setting.weight) }
  return {
    [`diversity${suffix}`]: String(setting.diversityWeight),
    [`uncertainty${suffix}`]: String(setting.uncertaintyWeight),
  }
}

/** The fields of the request; none for the variant's own setting. */
export function choiceOf(setting: Setting): { readonly exploration?: ExplorationChoice } {
  if (setting.kind === 'own') return {}
  if (setting.kind === 'one') return { exploration: { weight: setting.weight } }
  const { diversityWeight, uncertaintyWeight } = setting
  return { exploration: { diversityWeight, uncertaintyWeight } }
}

/** The next of 1, 2, 5, 10 and so on, and of 0.5, 0.2 and so on, that is not below the value. */
export function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 2, 5].find((each) => each * power >= value) ?? 10
  // A division avoids the rounding of a product with a fraction.
  return power < 1 ? step / Math.round(1 / power) : step * power
}

function numberOf(text: string | undefined): number | null {
  const value = Number.parseFloat(text ?? '')
  return Number.isFinite(value) && value >= 0 ? value : null
}
