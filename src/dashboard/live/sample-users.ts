// Which users are shown as samples.

interface ListedUser {
  readonly user: string
  readonly interactions: number
}

/**
 * So many users with a history, apart from each other in the list, others in each round. Those with
 * enough interactions to judge a slate by come first.
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
