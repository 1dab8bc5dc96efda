// Light, dark, or as the system has it. The choice outlives the visit.

import { useEffect, useState } from 'preact/hooks'

import { named, Select } from './inputs.tsx'

const place = 'ren-theme'
const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const stored = (): Theme =>
  themes.find((theme) => theme === localStorage.getItem(place)) ?? 'system'

export function ThemeSwitch() {
  const [theme, setTheme] = useState(stored)
  useEffect(() => {
    const { dataset } = document.documentElement
    if (theme === 'system') delete dataset['theme']
    else dataset['theme'] = theme
    localStorage.setItem(place, theme)
    // Charts draw with colours of the theme, and have to draw again.
    dispatchEvent(new Event('themechange'))
  }, [theme])
  return (
    <div class="theme">
      <Select aria-label="Theme" value={theme} options={named(themes)} onChange={setTheme} />
    </div>
  )
}
