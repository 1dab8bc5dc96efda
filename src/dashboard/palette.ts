// The colors of charts: by their names in theme.css, read again when the theme changes, and by method.

/** The number of colors for lines in theme.css; they are distinguishable with color blindness. */
export const seriesCount = 6

/** The value of a CSS color in the current theme, such as `var(--text)`, for canvases and files. */
export function resolveColor(css: string): string {
  // A property holds the colors of both themes; only an element that uses it resolves one.
  const probe = document.createElement('i')
  probe.style.color = css
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** Calls the listener at every change until the signal aborts. */
export function onThemeChange(listener: () => void, options: { signal?: AbortSignal } = {}): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', listener, options)
  addEventListener('themechange', listener, options)
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
