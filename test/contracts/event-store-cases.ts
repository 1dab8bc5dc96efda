// Events and unique names for the suites of event stores.

import type { EventStore, NewEvent, StoredEvent } from 'ren-recommender/storage'
import { expect } from 'vitest'

let counter = 0
/** A unique name. */
export const fresh = (): string => `name ${(counter += 1)}`

export const withCode = (code: string): unknown => expect.objectContaining({ code })

export async function readAll(
  store: Pick<EventStore, 'read'>,
  after: number,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<readonly StoredEvent[]> {
  return (await Array.fromAsync(store.read(after, { upTo }))).flat()
}

export const feedback = (
  user: string,
  { id, ...more }: { id?: string; reward?: number; recommendationId?: string } = {},
): NewEvent => ({
  ...(id !== undefined && { id }),
  event: { kind: 'interaction', user, item: 'a', reward: 0.5, time: 3, ...more },
})

export const servedWith = (context: unknown): NewEvent => ({
  id: fresh(),
  event: {
    kind: 'recommendation',
    user: 'ann',
    time: 1.5,
    items: [{ item: 'a', score: 0.1, relevance: 1e-300, diversity: 0, uncertainty: -1 }],
    counted: true,
    variant: 'x',
    policy: 'y',
    modelVersion: 0,
    context: { said: context },
  },
})

/** The value after JSON serialization; −0 becomes 0. */
export const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Events that no store can return unchanged. */
export const unkeepable: readonly unknown[] = [
  feedback('ann', { reward: Number.NaN }),
  feedback('ann', { reward: Number.POSITIVE_INFINITY }),
  feedback('\ud800'),
  feedback(''),
  feedback('ann', { id: '' }),
  feedback('ann\0'),
  feedback('ann', { id: 'x'.repeat(1025) }),
  feedback('ann', { recommendationId: 'é'.repeat(513) }),
  { event: { kind: 'recommendation', context: { when: new Date(0) } } },
  { event: { kind: 'recommendation', items: [undefined] } },
  { event: { kind: 'recommendation', context: { count: 1n } } },
  { event: { kind: 'items-put', items: [{ item: '' }] } },
  { event: { kind: 'items-put', items: [{ item: 'a\0b' }] } },
]
