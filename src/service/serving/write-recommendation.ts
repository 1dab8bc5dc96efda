// Writes slates to the log after the answer: the caller does not wait for the store. If writing fails,
// it logs one error for the operator, and one message when writing works again.

import type { ServedItem } from '../../storage/index.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { ServedRecommendation, ServiceRequest } from '../service.ts'

// The JSON of a slate. Writing its numbers is the slowest part of a request, so it is written once, for
// the response and for the log.

/** An object as JSON, with items whose JSON is there already. */
export function withItems(rest: object, items: string): string {
  return `${JSON.stringify(rest).slice(0, -1)},"items":${items}}`
}

/** Whether JSON holds the numbers: where their sum is finite, all of them are. */
export const areFinite = (items: readonly ServedItem[]): boolean =>
  items.every(({ score, relevance, diversity, uncertainty, propensity = 0, boost = 0 }) =>
    Number.isFinite(score + relevance + diversity + uncertainty + propensity + boost),
  )

interface Group {
  readonly written: ReturnType<ServiceParts['journal']['appendSoon']>
  readonly applied: Promise<void>
  slates: number
}

/** Answers the JSON of the items, which from here on are the log's. */
type WriteServed = (
  id: string,
  served: Pick<ServedRecommendation, 'items' | 'variant' | 'policy' | 'modelVersion'> & {
    readonly seenAllowed: boolean
  },
  request: Pick<ServiceRequest, 'user' | 'context'>,
) => string

export function createWriteServed({
  journal,
  tailer,
  pendingSlates,
  settings,
  logMessage,
}: Pick<
  ServiceParts,
  'journal' | 'tailer' | 'pendingSlates' | 'settings' | 'logMessage'
>): WriteServed {
  let lost = 0
  let group: Group | null = null

  function failed(error: unknown, slates: number): void {
    const isFirst = lost === 0
    lost += slates
    if (!isFirst) return
    const reason = error instanceof Error ? error.message : String(error)
    logMessage({ level: 'error', message: `slates are served and cannot be recorded: ${reason}` })
  }

  function succeeded(): void {
    if (lost === 0) return
    logMessage({ level: 'warning', message: `slates are recorded again; ${lost} were not` })
    lost = 0
  }

  /** Slates are written together, and are waited for together. */
  function groupOf(written: Group['written']): Group {
    if (group?.written === written) return group
    const begun: Group = {
      written,
      slates: 0,
      applied: written.then(
        ({ head }) => {
          succeeded()
          return tailer.applied(head)
        },
        (error: unknown) => failed(error, begun.slates),
      ),
    }
    group = begun
    return begun
  }

  return (id, { items, variant, policy, modelVersion, seenAllowed }, { user, context }) => {
    const facts = {
      kind: 'recommendation',
      user,
      time: settings.clock(),
      counted: settings.impressions === 'served',
      ...(seenAllowed && { seenAllowed }),
      variant,
      policy,
      modelVersion,
      ...(context !== undefined && { context }),
    } as const
    const event = { ...facts, items }
    // What JSON cannot hold is for the store to refuse.
    const itemsJson = JSON.stringify(items)
    const json = areFinite(items) ? { json: withItems(facts, itemsJson) } : {}
    const written = groupOf(journal.appendSoon({ id, event, ...json }))
    written.slates += 1
    pendingSlates.add(id, event, written.applied)
    return itemsJson
  }
}
