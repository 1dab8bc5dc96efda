// The state of a service as plain values, to compare it with the state after a replay or a restart.

import type { Recommender, UserState } from 'ren-recommender/recommender'

export interface DescribedGroup {
  readonly name: string
  readonly recommender: Pick<Recommender, 'state'>
}

/** By model group; equal for equal states, however they came about. */
export function describeGroups(
  groups: readonly DescribedGroup[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    groups.map(({ name, recommender: { state } }) => {
      const { catalog, impressions, interactions, repeats, days } = state
      const users = [...state.users].toSorted(([a], [b]) => (a < b ? -1 : 1))
      const description = {
        names: [...catalog.names],
        removed: [...catalog.removed].toSorted((a, b) => a - b),
        impressions: [...impressions],
        interactions: [...interactions],
        repeats,
        days: Object.fromEntries(days),
        users: Object.fromEntries(users.map(([user, value]) => [user, describeUser(value)])),
      }
      return [name, description]
    }),
  )
}

function describeUser(user: UserState): object {
  const { history, impressions, recentSlates, droppedItems, ...rest } = user
  const describe = (list: { columns(): object; readonly dropped: number }) => ({
    dropped: list.dropped,
    ...Object.fromEntries(
      Object.entries(list.columns() as Record<string, ArrayLike<number>>).map(([name, values]) => [
        name,
        Array.from(values),
      ]),
    ),
  })
  return {
    ...rest,
    history: describe(history),
    impressions: describe(impressions),
    recentSlates: describe(recentSlates),
    droppedItems: droppedItems && describe(droppedItems),
  }
}
