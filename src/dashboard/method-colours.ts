// Which colour a method has in charts: the same wherever it is drawn.

/** By method, or by policy where a method is called model+policy. */
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

/** The colours of REN and greedy are for them alone. */
const firstFree = 2

/** A place among the colours for each; where one is taken, and for others, the first that is free. */
export function methodColours(methods: readonly string[]): readonly number[] {
  const owners = new Map<number, number>()
  for (const [i, method] of methods.entries()) {
    const colour = own[method.toLowerCase().split('+').at(-1) ?? '']
    if (colour !== undefined && !owners.has(colour)) owners.set(colour, i)
  }
  const colours = new Map([...owners].map(([colour, i]) => [i, colour]))
  let free = firstFree
  return methods.map((_, i) => {
    const colour = colours.get(i)
    if (colour !== undefined) return colour
    while (owners.has(free)) free++
    return free++
  })
}
