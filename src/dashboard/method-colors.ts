// The color of a method, the same in all charts.

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
    const color = own[method.toLowerCase().split('+').at(-1) ?? '']
    if (color !== undefined && !owners.has(color)) owners.set(color, i)
  }
  const colors = new Map([...owners].map(([color, i]) => [i, color]))
  let free = firstFree
  return methods.map((_, i) => {
    const color = colors.get(i)
    if (color !== undefined) return color
    while (owners.has(free)) free++
    return free++
  })
}
