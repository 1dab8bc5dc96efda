// What is on the map: the items as the user's model sees them, the user's taste, and their slate.

import { api } from '../api/client.ts'
import { useAsked } from '../api/use-asked.ts'
import type { FoundUser } from '../why/find-user.ts'
import type { Setting } from '../why/setting.ts'
import { useSlate } from '../why/use-slate.ts'

const mostItems = 50_000
const asServed: Setting = { kind: 'own' }

/** `attribute` is empty where kinds are not asked for. */
export function useMapData(found: FoundUser, attribute: string) {
  const slate = useSlate(found, asServed)
  const group = useGroup(slate.value?.answer.arm)
  const items = useAsked(
    async (signal) =>
      group === null ? null : api.map({ group, attribute, limit: mostItems }, signal),
    [group, attribute],
  )
  // The axes are of all items, so that taste can be asked for without them; strangers have none.
  const taste = useAsked(
    async (signal) =>
      group === null || found.info === null
        ? null
        : (await api.map({ group, user: found.user, limit: 1 }, signal)).user,
    [group, found],
  )
  return { slate, items, taste: taste.value }
}

/** The model that serves an arm: its own, or the one that all share. */
function useGroup(arm: string | undefined): string | null {
  const { value } = useAsked(api.model, [])
  if (!value || arm === undefined) return null
  const groups = value.versions.map(({ group }) => group)
  return groups.includes(arm) ? arm : (groups[0] ?? null)
}

/** Attributes of the first items, such that tell kinds apart before those with many values. */
export function useAttributes(): readonly string[] {
  const { value } = useAsked((signal) => api.items({ limit: 200 }, signal), [])
  return value ? attributesOf(value.entries.map(({ attributes }) => attributes)) : []
}

export function attributesOf(all: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  const values = new Map<string, Set<string>>()
  for (const [name, value] of all.flatMap((attributes) => Object.entries(attributes))) {
    values.set(name, (values.get(name) ?? new Set()).add(String(value)))
  }
  return [...values.keys()].toSorted((a, b) => values.get(a)!.size - values.get(b)!.size)
}
