// What is on the map: the items as the user's model sees them, the user's taste, and their slate.

import { api } from '../api/client.ts'
import { useAsked } from '../api/use-asked.ts'
import type { Asked } from '../api/use-asked.ts'
import type { FoundUser } from '../parts/find-user.ts'

const slateLength = 10

/** `attribute` is empty where kinds are not asked for. */
export function useMapData(found: FoundUser, attribute: string) {
  const { user, info } = found
  const slate = useAsked(
    (signal) => api.recommend({ user, count: slateLength, record: false }, signal),
    [found],
  )
  const arm = slate.value?.arm
  const group = useAsked(
    async (signal) => (arm === undefined ? null : groupOf(arm, await api.model(signal))),
    [arm],
  )
  const name = group.value
  const items = useAsked(
    async (signal) => (name === null ? null : api.map({ group: name, attribute }, signal)),
    [name, attribute],
  )
  // The axes are of all items, so that taste can be asked for without them; strangers have none.
  const taste = useAsked(
    async (signal) =>
      name === null || info === null
        ? null
        : (await api.map({ group: name, user, limit: 1 }, signal)).user,
    [name, found],
  )
  return { slate, group, items, taste }
}

type Models = Awaited<ReturnType<typeof api.model>>

/** Each arm has a model of its own, or all share one. */
const groupOf = (arm: string, { versions }: Models): string =>
  versions.length === 1 ? versions[0]!.group : arm

/** Attributes of the first items, such that tell kinds apart before those with many values. */
export function useAttributes(): Asked<readonly string[]> {
  return useAsked(async (signal) => {
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
