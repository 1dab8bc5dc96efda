// Selects sample users.

interface ListedUser {
  readonly user: string
  readonly interactions: number
}

/**
 * Selects `count` users with a history, spread over the list and different in each round. Users with
 * enough interactions to judge a slate come first.
 */
export function sampleOf<T extends ListedUser>(
  users: readonly T[],
  count: number,
  round: number,
): readonly T[] {
  const active = users.filter(({ interactions }) => interactions > 0)
  const known = active.filter(({ interactions }) => interactions >= enough)
  const pool = known.length >= count ? known : active
  const step = Math.max(1, Math.floor(pool.length / count))
  return pool
    .map((_, i) => pool[((i % count) * step + Math.floor(i / count)) % pool.length]!)
    .filter((user, i, all) => all.indexOf(user) === i)
    .slice((round * count) % Math.max(1, pool.length))
    .slice(0, count)
}

const enough = 5
