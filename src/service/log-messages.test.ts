import { afterEach, describe, expect, it, vi } from 'vitest'

import { closeServices, startService } from '../../test/services.ts'
import { createMemoryStore } from '../storage/index.ts'
import { createServer } from './http/server.ts'
import { safeLogging, type LogMessage } from './settings.ts'

closeServices()
afterEach(() => vi.restoreAllMocks())

const feedback = (user: string, item: string) =>
  ({ event: { kind: 'interaction', user, item, reward: 1, time: 1 } }) as const

describe('log messages whose listener throws', () => {
  it.each<[string, (logMessage: LogMessage) => void]>([
    [
      'throws',
      () => {
        throw new Error('no')
      },
    ],
    ['rejects', async () => Promise.reject(new Error('no'))],
  ])('are written to standard error if the callback %s', async (_, onLogMessage) => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    safeLogging(onLogMessage)({ level: 'warning', message: 'look here' })
    await expect.poll(() => written.mock.calls).toEqual([['ren: warning: look here\n']])
  })

  it('do not affect the state', async () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const store = createMemoryStore()
    const onLogMessage = (): void => {
      throw new Error('no')
    }
    const { service } = await startService({ store, onLogMessage })
    await store.append([feedback('eve', 'nothing'), feedback('fay', 'a')])
    await service.record([{ user: 'ann', item: 'b' }])
    expect(service.position).toBe(4)
    expect(service.users.get('fay')).not.toBeNull()
    expect(service.users.get('ann')).not.toBeNull()
    expect(service.health().problems).toEqual([])
    await expect.poll(() => written.mock.calls.length).toBe(1)
  })

  it('do not change the responses of a server', async () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const { service } = await startService({ store: createMemoryStore() })
    const recommendation = () => Promise.reject(new Error('no such device'))
    const onLogMessage = (): void => {
      throw new Error('no')
    }
    const server = await createServer({ ...service, recommendation }, { onLogMessage })
    const { statusCode, payload } = await server.inject('/v1/recommendations/some')
    expect([statusCode, payload]).toEqual([500, expect.stringMatching(/its reference is/)])
    await expect.poll(() => written.mock.calls.length).toBe(1)
    await server.close()
  })
})
