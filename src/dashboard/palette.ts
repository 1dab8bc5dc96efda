// The colors of charts: by their names in theme.css, read again when the theme changes, and by method.

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

/** By method, or by the policy of a method named model+policy. */
const own: Readonly<Record<string, number>> = {
  ren: 0,
  'ren-g': 0,
  'ren-t': 0,
  greedy: 1,
  gru4rec: 1,
  tcn: 1,
  random: 2,
  'epsilon-greedy': 3,
  'lin-ucb': 4,
  'lin-ts': 5,
}

/** The colors of REN and greedy are reserved. */
const firstFree = 2

/** The color index of each method. Methods without a free color of their own get the first free one. */
export function methodColors(methods: readonly string[]): readonly number[] {
  const owners = new Map<number, number>()
  for (const [i, method] of methods.entries()) {
    const place = own[method.toLowerCase().split('+').at(-1) ?? '']
    if (place !== undefined && !owners.has(place)) owners.set(place, i)
  }
  const colors = new Map([...owners].map(([place, i]) => [i, place]))
  let free = firstFree
  return methods.map((_, i) => {
    const place = colors.get(i)
    if (place !== undefined) return place
    while (owners.has(free)) free++
    return free++
  })
}
