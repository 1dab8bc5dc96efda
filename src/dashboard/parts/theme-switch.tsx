// Light, dark, or as the system has it. The choice outlives the visit.

import { useEffect, useState } from 'preact/hooks'

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
    <label class="theme">
      <span class="unseen">Theme</span>
      <select
        value={theme}
        onChange={({ currentTarget }) => setTheme(currentTarget.value as Theme)}
      >
        {themes.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  )
}
