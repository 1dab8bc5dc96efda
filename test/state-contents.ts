// The state of a recommender as plain values for comparisons; packed lists hide their values.

import type { StateContents, UserState } from 'ren-recommender/recommender'

/** The state of each user, in the order of the users. */
export function usersOf({ users }: StateContents) {
  return Array.from(users, ([name, user]) => [name, contentsOfUser(user)] as const)
}

export function contentsOfUser(user: UserState) {
  const { history, impressions, recentSlates, droppedItems, pairs, ...rest } = user
  return {
    ...structuredClone(rest),
    history: listOf(history),
    impressions: listOf(impressions),
    recentSlates: listOf(recentSlates),
    droppedItems: droppedItems && listOf(droppedItems),
    pairs: pairs && pairs.saved(),
  }
}

export function contentsOf(state: StateContents) {
  const { catalog, impressions, interactions, events, repeats, days } = state
  return {
    names: [...catalog.names],
    removed: [...catalog.removed],
    users: usersOf(state),
    impressions: [...impressions],
    interactions: [...interactions],
    repeats,
    days: [...days],
    events,
  }
}

type List =
  | UserState['history' | 'impressions' | 'recentSlates']
  | NonNullable<UserState['droppedItems']>

function listOf(list: List): Readonly<Record<string, number | readonly number[]>> {
  const columns = Object.entries<Iterable<number>>(list.columns())
  const { length, dropped } = list
  return {
    length,
    dropped,
    ...Object.fromEntries(columns.map(([name, column]) => [name, [...column]])),
  }
}
