// The colours of charts, by name as theme.css has them, read anew when the theme changes.

/** For lines and points; told apart also by those who see fewer colours. */
const series = ['--series-1', '--series-2', '--series-3', '--series-4', '--series-5', '--series-6']

export const seriesCount = series.length

/** As a canvas takes it; from 0, which is clear, to 1. */
export function colour(name: `--${string}`, alpha = 1): string {
  // A property holds both colours, of light and dark; only an element that uses it has one.
  const probe = document.createElement('i')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const [red = '0', green = '0', blue = '0'] = getComputedStyle(probe).color.match(/[\d.]+/g) ?? []
  probe.remove()
  return `rgb(${red} ${green} ${blue} / ${alpha})`
}

export const seriesColour = (index: number, alpha = 1): string =>
  colour(series[index % series.length]! as `--${string}`, alpha)

/** Until the returned function is called. */
export function onThemeChange(listener: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', listener)
  addEventListener('themechange', listener)
  return () => {
    system.removeEventListener('change', listener)
    removeEventListener('themechange', listener)
  }
}
