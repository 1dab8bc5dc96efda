// The exploration setting: as the variant, by one scale-free weight, or by both
// weights of the score.

import type { ExplorationChoice } from '../../service/index.ts'
import { Radios, Slider } from '../parts/inputs.tsx'
import type { Weights } from './terms.ts'

interface SettingProps {
  readonly name: string
  readonly setting: Setting
  /** The weights of the shown slate, if its scores have them. */
  readonly weights: Weights | null
  /** The weights at which bonuses vary as much as relevance; they determine the range of the sliders. */
  readonly typical: Weights | null
  onChange(setting: Setting): void
}

const kinds = { one: 'One weight', two: 'Two weights', own: 'As served' } as const

export const SettingControls = ({ name, setting, weights, typical, onChange }: SettingProps) => (
  <div class="why-setting">
    <Radios
      label={`Exploration of ${name}`}
      value={setting.kind}
      options={kinds}
      onChange={(kind) => onChange(settingOf(kind, weights))}
    />
    <Sliders setting={setting} typical={typical} onChange={onChange} />
  </div>
)

function Sliders({ setting, typical, onChange }: Omit<SettingProps, 'name' | 'weights'>) {
  if (setting.kind === 'own') {
    return <p class="soft">What this user would be served now, with the weights of the variant.</p>
  }
  if (setting.kind === 'one') {
    return (
      <Slider
        label="Exploration weight"
        max={1}
        step={0.01}
        value={setting.weight}
        onChange={(weight) => onChange({ kind: 'one', weight })}
      />
    )
  }
  const slider = (term: 'diversity' | 'uncertainty', label: string) => {
    const key = `${term}Weight` as const
    const reach = roundUp(Math.max(4 * (typical?.[term] || 0.25), setting[key]))
    return (
      <Slider
        label={label}
        max={reach}
        step={reach / 100}
        value={setting[key]}
        onChange={(value) => onChange({ ...setting, [key]: value })}
      />
    )
  }
  return (
    <>
      {slider('diversity', 'Diversity weight λd')}
      {slider('uncertainty', 'Uncertainty weight λu')}
    </>
  )
}

/** Two weights start at the values of the one weight, so that the slate does not change. */
function settingOf(kind: Setting['kind'], weights: Weights | null): Setting {
  if (kind === 'own') return { kind }
  if (kind === 'one') return { kind, weight: 0.3 }
  const round = (value = 0.1): number => Number(Math.max(0, value).toPrecision(3))
  return {
    kind,
    diversityWeight: round(weights?.diversity),
    uncertaintyWeight: round(weights?.uncertainty),
  }
}

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
  const one = numberOf(weight)
  const diversityWeight = numberOf(params[`diversity${suffix}`])
  const uncertaintyWeight = numberOf(params[`uncertainty${suffix}`])
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
