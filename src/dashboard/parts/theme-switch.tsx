// Selects the theme.

import { useEffect, useState } from 'preact/hooks'

import { choose, storedTheme, themes } from '../theme.ts'
import { named, Select } from './inputs.tsx'

export function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme)
  useEffect(() => choose(theme), [theme])
  return (
    <div class="theme">
      <Select aria-label="Theme" value={theme} options={named(themes)} onChange={setTheme} />
    </div>
  )
}
