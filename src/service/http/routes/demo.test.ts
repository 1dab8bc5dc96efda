import { describe, expect, it } from 'vitest'

import { closeServers, startServer } from '../../../../test/servers.ts'
import { closeServices } from '../../../../test/services.ts'
import { testDemo } from '../../../../test/test-demo.ts'
import type { Demo } from '../../runs.ts'

closeServices()
closeServers()

const path = '/v1/demo'

describe('a demo', () => {
  it('is shown, paused and resumed', async () => {
    const demo = testDemo()
    const { send } = await startServer({ demo })
    const { status, json } = await send('GET', path)
    expect([status, json]).toEqual([200, demo.describe()])
    const set = async (state: string) => {
      const answer = await send('POST', path, { body: { state } })
      return [answer.status, (answer.json as Demo).state]
    }
    expect(await set('paused')).toEqual([200, 'paused'])
    expect((await send('GET', path)).json).toMatchObject({ state: 'paused' })
    expect(await set('running')).toEqual([200, 'running'])
  })

  it('refuses other states', async () => {
    const { send } = await startServer({ demo: testDemo() })
    for (const body of [{ state: 'done' }, {}, { state: 'paused', speed: 2 }]) {
      const answer = await send('POST', path, { body })
      expect([answer.status, answer.json]).toMatchObject([
        400,
        { error: { code: 'invalid-argument' } },
      ])
    }
    expect((await send('GET', path)).json).toMatchObject({ state: 'running' })
  })

  it('is not found without a demo', async () => {
    const { send } = await startServer()
    const requested = await send('GET', path)
    const set = await send('POST', path, { body: { state: 'paused' } })
    for (const { status, json } of [requested, set]) {
      expect([status, json]).toEqual([
        404,
        {
          error: {
            code: 'not-found',
            message: 'this server was started without a demo',
          },
        },
      ])
    }
  })
})
