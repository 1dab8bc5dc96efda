// The exploration setting: as the variant, by one scale-free weight, or by both
// weights of the score.

import { Radios } from '../parts/inputs.tsx'
import { Slider } from '../parts/slider.tsx'
import { roundUp } from './setting.ts'
import type { Setting } from './setting.ts'
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

export function SettingControls({ name, setting, weights, typical, onChange }: SettingProps) {
  return (
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
}

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
