// Fetches the data of the map: items, user embedding and slate.

import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import type { FetchState } from '../api/use-fetch.ts'
import type { FoundUser } from '../parts/find-user.ts'

const slateLength = 10

/** `attribute` is empty without categories. */
export function useMapData(found: FoundUser, attribute: string) {
  const { user, info } = found
  const slate = useFetch(
    (signal) => api.recommend({ user, count: slateLength, record: false }, signal),
    [found],
  )
  const arm = slate.value?.arm
  const group = useFetch(
    async (signal) => (arm === undefined ? null : groupOf(arm, await api.model(signal))),
    [arm],
  )
  const name = group.value
  const items = useFetch(
    async (signal) => (name === null ? null : api.map({ group: name, attribute }, signal)),
    [name, attribute],
  )
  // The axes depend on all items, so the user embedding can be fetched alone; unknown users have none.
  const taste = useFetch(
    async (signal) =>
      name === null || info === null
        ? null
        : (await api.map({ group: name, user, limit: 1 }, signal)).user,
    [name, found],
  )
  return { slate, group, items, taste }
}

type Models = Awaited<ReturnType<typeof api.model>>

/** Each variant has its own model, or all share one. */
const groupOf = (arm: string, { versions }: Models): string =>
  versions.length === 1 ? versions[0]!.group : arm

/** Attributes of the first items; those with few values come first. */
export function useAttributes(): FetchState<readonly string[]> {
  return useFetch(async (signal) => {
    const { entries } = await api.items({ limit: 200 }, signal)
    return attributesOf(entries.map(({ attributes }) => attributes))
  }, [])
}

export function attributesOf(all: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  const values = new Map<string, Set<string>>()
  for (const [name, value] of all.flatMap((attributes) => Object.entries(attributes))) {
    values.set(name, (values.get(name) ?? new Set()).add(String(value)))
  }
  return [...values.keys()].toSorted((a, b) => values.get(a)!.size - values.get(b)!.size)
}
