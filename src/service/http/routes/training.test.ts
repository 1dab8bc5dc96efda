// Full training runs over HTTP.

import { setTimeout as delay } from 'node:timers/promises'

import { expect, test } from 'vitest'

import { closeServers, startServer } from '../../../../test/servers.ts'
import { closeServices } from '../../../../test/services.ts'
import type { TrainingStatus } from '../../schemas/model.ts'

closeServices()
closeServers()

const variants = [{ name: 'ren', method: 'ren-g', settings: { dimension: 4, loss: 'softmax' } }]
const seldom = { everyEvents: Infinity, everySeconds: Infinity }

const start = () =>
  startServer({}, [], { variants, learning: { ...seldom, fullTraining: { enabled: false } } })

test('a full training run is started, shown in status and metrics, and canceled', async () => {
  const { send, service } = await start()
  expect((await send('GET', '/v1/status')).json).toMatchObject({ training: [] })
  const events = ['ann', 'ben', 'cyd'].flatMap((user) =>
    ['a', 'b', 'c', 'd'].map((item) => ({ user, item })),
  )
  await service.record(events)
  const started = await send('POST', '/v1/model/train', { body: { full: true } })
  expect(started.status).toBe(202)
  expect(started.json).toMatchObject({ training: [{ group: 'ren', state: 'running', epoch: 0 }] })
  const status = async () =>
    (await send('GET', '/v1/status')).json as { training: TrainingStatus[] }
  expect((await status()).training[0]!.state).toBe('running')
  expect((await send('GET', '/metrics')).text).toMatch(/ren_training_share\{group="ren"\} [01]/)
  const canceled = await send('DELETE', '/v1/model/training?group=ren')
  expect(canceled.status).toBe(200)
  while ((await status()).training[0]!.state === 'running') await delay(5)
  expect((await status()).training[0]!.state).toMatch(/^(canceled|done)$/)
})

test('a run of a group that does not exist is refused', async () => {
  const { send } = await start()
  const answer = await send('POST', '/v1/model/train', { body: { full: true, group: 'none' } })
  expect(answer.status).toBe(404)
  expect((await send('DELETE', '/v1/model/training?group=none')).status).toBe(404)
})
