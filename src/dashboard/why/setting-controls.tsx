// The exploration setting: as the variant, by the exploration weight, or by both weights of REN's score.

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
type Kind = keyof typeof kinds

export const SettingControls = ({ name, setting, weights, typical, onChange }: SettingProps) => (
  <div class="why-setting">
    <Radios
      label={`Exploration of ${name}`}
      value={kindOf(setting)}
      options={kinds}
      onChange={(kind) => onChange(settingOf(kind, weights))}
    />
    <Sliders setting={setting} typical={typical} onChange={onChange} />
  </div>
)

function Sliders({ setting, typical, onChange }: Omit<SettingProps, 'name' | 'weights'>) {
  if (setting === 'own') {
    return <p class="soft">What this user would be served now, with the weights of the variant.</p>
  }
  if ('weight' in setting) {
    return (
      <Slider
        label="Exploration weight"
        max={1}
        step={0.01}
        value={setting.weight}
        onChange={(weight) => onChange({ weight })}
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

/** As the user's variant serves, by one weight, or by both weights. */
export type Setting =
  | 'own'
  | { readonly weight: number }
  | { readonly diversityWeight: number; readonly uncertaintyWeight: number }

function kindOf(setting: Setting): Kind {
  if (setting === 'own') return 'own'
  return 'weight' in setting ? 'one' : 'two'
}

/** Two weights start at the values of the one weight, so that the slate does not change. */
function settingOf(kind: Kind, weights: Weights | null): Setting {
  if (kind === 'own') return 'own'
  if (kind === 'one') return { weight: 0.5 }
  const round = (value = 0.1): number => Number(Math.max(0, value).toPrecision(3))
  return {
    diversityWeight: round(weights?.diversity),
    uncertaintyWeight: round(weights?.uncertainty),
  }
}

type Params = Readonly<Record<string, string>>

/** `suffix` distinguishes the two settings of a comparison; null if the URL has none. */
export function readSetting(params: Params, suffix: string): Setting | null {
  if (params[`weight${suffix}`] === 'own') return 'own'
  const number = (name: string): number | null => {
    const value = Number.parseFloat(params[name + suffix] ?? '')
    return Number.isFinite(value) && value >= 0 ? value : null
  }
  const [weight, diversity, uncertainty] = ['weight', 'diversity', 'uncertainty'].map(number)
  if (weight != null) return { weight: Math.min(1, weight) }
  if (diversity == null && uncertainty == null) return null
  return { diversityWeight: diversity ?? 0, uncertaintyWeight: uncertainty ?? 0 }
}

export function writeSetting(setting: Setting | null, suffix: string): Params {
  if (setting === null) return {}
  const values = setting === 'own' ? { weight: setting } : setting
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.replace('Weight', '') + suffix,
      String(value),
    ]),
  )
}

/** The next of 1, 2, 5, 10 and so on, and of 0.5, 0.2 and so on, that is not below the value. */
export function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 2, 5].find((each) => each * power >= value) ?? 10
  // A division avoids the rounding of a product with a fraction.
  return power < 1 ? step / Math.round(1 / power) : step * power
}
