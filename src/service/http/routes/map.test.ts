import { describe, expect, it } from 'vitest'

import { closeServers, startServer } from '../../../../test/servers.ts'
import { closeServices } from '../../../../test/services.ts'
import type { ItemMap } from '../../schemas/items.ts'
import { limits } from '../../limits.ts'

closeServices()
closeServers()

describe('GET /v1/map', () => {
  it('returns the map of the service', async () => {
    const { send, service } = await startServer()
    await service.record([{ user: 'ann', item: 'a' }])
    await service.items.put([{ item: 'b', attributes: { kind: 'lamp' } }])
    const { status, json } = await send('GET', '/v1/map')
    expect([status, json]).toEqual([200, await service.itemMap({ limit: limits.map })])
    const requested = { group: 'ren', limit: 3, attribute: 'kind', user: 'ann' }
    const query = new URLSearchParams(
      Object.entries(requested).map(([key, value]) => [key, `${value}`]),
    )
    const some = (await send('GET', `/v1/map?${query.toString()}`)).json as ItemMap
    expect(some).toEqual(await service.itemMap(requested))
    expect([some.items.length, some.user !== null]).toEqual([3, true])
  })

  it('refuses invalid requests', async () => {
    const { send } = await startServer()
    const codeOf = async (query: string) => {
      const { status, json } = await send('GET', `/v1/map?${query}`)
      return [status, (json as { error: { code: string } }).error.code]
    }
    expect(await codeOf('group=none')).toEqual([404, 'not-found'])
    expect(await codeOf('user=nobody')).toEqual([404, 'not-found'])
    expect(await codeOf('limit=0')).toEqual([400, 'invalid-argument'])
    expect(await codeOf(`limit=${limits.map + 1}`)).toEqual([400, 'invalid-argument'])
    expect(await codeOf('color=blue')).toEqual([400, 'invalid-argument'])
  })
})
