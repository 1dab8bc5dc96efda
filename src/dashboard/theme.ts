// Light, dark or system theme. The choice is stored in the browser.

const place = 'ren-theme'
export const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

export const storedTheme = (): Theme =>
  themes.find((theme) => theme === localStorage.getItem(place)) ?? 'system'

export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset['theme']
  else dataset['theme'] = theme
}

export function storeTheme(theme: Theme): void {
  applyTheme(theme)
  localStorage.setItem(place, theme)
  // Charts use theme colors and must render again.
  dispatchEvent(new Event('themechange'))
}
