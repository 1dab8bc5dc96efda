import { describe, expect, it } from 'vitest'

import { closeServers, startServer, type Method } from '../../../test/servers.ts'
import { closeServices } from '../../../test/services.ts'

closeServices()
closeServers()

type Row = readonly [body: unknown, path: string | undefined, status: number]

const weights = { diversityWeight: 0.1, uncertaintyWeight: 0.1 }

/** Bodies of a recommendation request, besides `user` and `count`. */
const requests: readonly Row[] = [
  [{ count: 0 }, 'body.count', 400],
  [{ user: undefined }, 'body.user', 400],
  [{ color: 1 }, 'body.color', 400],
  [{ 'two words': 1 }, 'body["two words"]', 400],
  [{ exploration: { weight: 2 } }, 'body.exploration.weight', 400],
  [{ exploration: { weight: 1, exploratoryShare: -1 } }, 'body.exploration.exploratoryShare', 400],
  [{ exploration: { ...weights, diversityWeight: 1e9 } }, 'body.exploration.diversityWeight', 400],
  [{ exploration: { ...weights, diversityWeight: -1 } }, 'body.exploration.diversityWeight', 400],
  [{ exploration: { policy: 'magic' } }, 'body.exploration.policy', 400],
  [
    { exploration: { policy: 'epsilon-greedy', settings: { epsilon: 2 } } },
    'body.exploration.settings.epsilon',
    400,
  ],
  [
    { exploration: { policy: 'greedy', settings: { epsilon: 1 } } },
    'body.exploration.settings.epsilon',
    400,
  ],
  [
    { exploration: { policy: 'base-ren', settings: { scale: 1e9 } } },
    'body.exploration.settings.scale',
    400,
  ],
  [{ exploration: { policy: 'greedy' }, slate: 'top' }, 'body.slate', 400],
  [{ exploration: { policy: 'epsilon-greedy' }, boost: { a: 1 } }, 'body.boost', 400],
  [{ boost: { a: 1 }, slate: 'sequential' }, 'body.boost', 400],
  [{ boost: { 'no item': 1 } }, 'body.boost["no item"]', 404],
  [{ pin: [{ item: 'a', slot: 9 }] }, 'body.pin[0].slot', 400],
  [{ pin: [{ item: 'a', slot: 0 }] }, 'body.pin[0].slot', 400],
  [{ pin: ['tea'] }, 'body.pin[0]', 400],
  [{ pin: [{ item: 'none', slot: 1 }] }, 'body.pin[0]', 404],
  [{ candidates: ['a', 'none'] }, 'body.candidates[1]', 404],
  [{ exclude: ['none'] }, 'body.exclude[0]', 404],
  [{ filter: {} }, 'body.filter', 400],
  [{ filter: { and: [{ attribute: 'at', in: [null] }] } }, 'body.filter.and[0].in[0]', 400],
  [{ afterPosition: 1e6 }, 'body.afterPosition', 400],
]

const event = { user: 'ann', item: 'a' }
const events: readonly Row[] = [
  [{ user: 'ann' }, 'body.item', 400],
  [{ ...event, user: 3 }, 'body.user', 400],
  [{ ...event, users: 'u' }, 'body.users', 400],
  [{ users: 'u' }, 'body.user', 400],
  [{ ...event, time: 1e13 }, 'body.time', 400],
  [{ ...event, item: 'none' }, 'body.item', 422],
  [{ user: 'ann', impressions: ['a'] }, 'body.recommendationId', 400],
  [{ user: 'ann', recommendationId: 'r', impressions: ['a', 'none'] }, 'body.impressions[1]', 422],
  [{ events: [] }, 'body.events', 400],
  [{ events: [event, { user: 'ann' }], more: 1 }, 'body.more', 400],
  [{ events: [null] }, 'body.events[0]', 400],
  [{ events: [{ ...event, item: 'none' }, { user: 'ann' }] }, 'body.events[0].item', 422],
]

const items: readonly Row[] = [
  [{ items: [{ item: '.' }] }, 'body.items[0].item', 400],
  [{ items: [{ item: 'x' }, { item: 'x' }] }, 'body.items[1].item', 400],
  [{ items: [{ item: 'x', like: ['a', 'none'] }] }, 'body.items[0].like[1]', 404],
  [{ items: [{ item: 'x', embedding: [1] }] }, 'body.items[0].embedding', 400],
  [{ items: [{ item: 'x', color: 1 }] }, 'body.items[0].color', 400],
  [{ items: [] }, 'body.items', 400],
  [{}, 'body.items', 400],
]

/** Bodies of `PUT /v1/items/x`. */
const item: readonly Row[] = [
  [{ item: 'y' }, 'body.item', 400],
  [{ attributes: { at: null } }, 'body.attributes.at', 400],
  [{ like: ['none'] }, 'body.like[0]', 404],
  [{ like: 'a' }, 'body.like', 400],
]

const others: readonly (readonly [Method, string, ...Row])[] = [
  ['POST', '/v1/users/merge', { from: 'a', into: 'a' }, 'body.from', 400],
  ['POST', '/v1/keys', { name: 'k', scopes: ['events'] }, 'body.scopes', 400],
  ['GET', '/v1/items?limit=0', undefined, 'query.limit', 400],
  ['GET', '/v1/items?filter=x', undefined, 'query.filter', 400],
  ['GET', '/v1/items?filter={"and":[7]}', undefined, 'query.filter.and[0]', 400],
  ['GET', '/v1/map?group=none', undefined, 'query.group', 404],
  ['GET', '/v1/model/versions?group=none', undefined, 'query.group', 404],
  ['GET', '/v1/map?user=none', undefined, 'query.user', 404],
  ['GET', '/v1/metrics?since=0', undefined, 'query.since', 400],
  ['GET', '/v1/stream?since=0', undefined, 'query.since', 400],
  ['POST', '/v1/recommendations?count=1', { user: 'ann', count: 1 }, 'query.count', 400],
  ['GET', '/v1/items/none', undefined, undefined, 404],
  // Without a body it would erase the attributes.
  ['PUT', '/v1/items/x', undefined, 'body', 400],
  ['POST', '/v1/model/train', 'null', 'body', 400],
]

describe('the path of an error', () => {
  it.each([
    ...requests.map(
      ([more, ...rest]) =>
        [
          'POST',
          '/v1/recommendations',
          { user: 'ann', count: 1, ...(more as object) },
          ...rest,
        ] as const,
    ),
    ...events.map((row) => ['POST', '/v1/events', ...row] as const),
    ...items.map((row) => ['POST', '/v1/items', ...row] as const),
    ...item.map((row) => ['PUT', '/v1/items/x', ...row] as const),
    ...others,
  ])('starts at the part of the request that has it: %s %s %j', async (...row) => {
    const [method, url, body, path, status] = row
    const { send } = await startServer()
    const answer = await send(method, url, body === undefined ? {} : { body })
    const { error } = answer.json as { readonly error: { readonly path?: string } }
    expect([answer.status, error.path]).toEqual([status, path])
  })

  it('has an index in a batch', async () => {
    const { send } = await startServer()
    const ann = { user: 'ann', count: 1 }
    const body = { requests: [ann, { ...ann, pin: [{ item: 'a', slot: 2 }] }] }
    const { json } = await send('POST', '/v1/recommendations', { body })
    expect(json).toMatchObject({
      results: [{}, { error: { path: 'body.requests[1].pin[0].slot' } }],
    })
  })
})
