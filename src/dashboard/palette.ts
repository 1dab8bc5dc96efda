// The colors of charts, by their names in theme.css, read again when the theme changes.

/** For lines and points; distinguishable with color blindness. */
const series = ['--series-1', '--series-2', '--series-3', '--series-4', '--series-5', '--series-6']

export const seriesCount = series.length

/** A canvas color; `alpha` from 0 (transparent) to 1. */
export function color(name: `--${string}`, alpha = 1): string {
  // A property holds the colors of both themes; only an element that uses it resolves one.
  const probe = document.createElement('i')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const [red = '0', green = '0', blue = '0'] = getComputedStyle(probe).color.match(/[\d.]+/g) ?? []
  probe.remove()
  return `rgb(${red} ${green} ${blue} / ${alpha})`
}

export const seriesColor = (index: number, alpha = 1): string =>
  color(series[index % series.length]! as `--${string}`, alpha)

/** Call the returned function to stop. */
export function onThemeChange(listener: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', listener)
  addEventListener('themechange', listener)
  return () => {
    system.removeEventListener('change', listener)
    removeEventListener('themechange', listener)
  }
}
