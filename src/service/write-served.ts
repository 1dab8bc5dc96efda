// Slates go into the log behind the answer's back: who asked does not wait for the store. Where it
// fails, the operator is told once, and once more when it works again.

import type { ServedRecommendation, ServiceRequest } from './service.ts'
import type { ServiceParts } from './service-parts.ts'
import { areFinite, withItems } from './slate-text.ts'

/** Answers the JSON of the items. */
export type WriteServed = (
  id: string,
  served: Pick<ServedRecommendation, 'items' | 'arm' | 'policy' | 'modelVersion'>,
  request: Pick<ServiceRequest, 'user' | 'context'>,
) => string

export function createWriteServed({
  journal,
  follower,
  pendingSlates,
  settings,
  notice,
}: Pick<
  ServiceParts,
  'journal' | 'follower' | 'pendingSlates' | 'settings' | 'notice'
>): WriteServed {
  let lost = 0

  function failed(error: unknown): void {
    lost += 1
    if (lost > 1) return
    const reason = error instanceof Error ? error.message : String(error)
    notice({ level: 'error', message: `slates are served and cannot be recorded: ${reason}` })
  }

  function succeeded(): void {
    if (lost === 0) return
    notice({ level: 'warning', message: `slates are recorded again; ${lost} were not` })
    lost = 0
  }

  return (id, { items, arm, policy, modelVersion }, { user, context }) => {
    const facts = {
      kind: 'served',
      user,
      time: settings.clock(),
      counted: settings.impressions === 'served',
      arm,
      policy,
      modelVersion,
      ...(context !== undefined && { context }),
    } as const
    // The caller may do what they like with theirs.
    const event = { ...facts, items: items.map((item) => ({ ...item })) }
    // What JSON cannot hold is for the store to refuse.
    const itemsJson = JSON.stringify(items)
    const json = areFinite(items) ? { json: withItems(facts, itemsJson) } : {}
    const written = journal.appendSoon({ id, event, ...json })
    void written.then(succeeded, failed)
    const applied = written.then(({ head }) => follower.applied(head))
    pendingSlates.add(id, event, applied)
    return itemsJson
  }
}
