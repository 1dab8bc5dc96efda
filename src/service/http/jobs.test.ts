import { describe, expect, it } from 'vitest'

import { RenError } from '../../core/errors.ts'
import type { RunProgress } from '../runs.ts'
import type { LogMessage } from '../settings.ts'
import type { Job } from '../schemas/jobs.ts'
import { Jobs } from './jobs.ts'
import { limits } from '../limits.ts'

interface Running {
  readonly request: string
  readonly report: (progress: RunProgress) => void
  readonly signal: AbortSignal
  readonly end: (result: unknown) => void
  readonly fail: (error: unknown) => void
}

function start() {
  const running: Running[] = []
  const changes: Job[] = []
  const logMessages: LogMessage[] = []
  const jobs = new Jobs<string>({
    what: 'run',
    runner: {
      start: (request, report, signal) =>
        new Promise((end, fail) => {
          running.push({ request, report, signal, end, fail })
        }),
    },
    about: (request) => ({ request }),
    clock: () => 7,
    onChange: (job) => changes.push(job),
    onLogMessage: (logMessage) => logMessages.push(logMessage),
  })
  return { jobs, running, changes, logMessages }
}

const soon = () => new Promise((resolve) => setImmediate(resolve))

describe('jobs', () => {
  it('run one after another, and report progress', async () => {
    const { jobs, running, changes } = start()
    const first = jobs.start('a')
    const second = jobs.start('b')
    expect(first).toMatchObject({ request: { request: 'a' }, created: 7, ended: null })
    expect(running.map(({ request }) => request)).toEqual(['a'])
    running[0]!.report({ share: 0.5, message: 'half', data: [1] })
    expect(jobs.get(first.id)).toMatchObject({ state: 'running', progress: { share: 0.5 } })
    expect(jobs.get(second.id).state).toBe('waiting')
    running[0]!.end({ answer: 42 })
    await soon()
    expect(jobs.get(first.id)).toMatchObject({ state: 'done', ended: 7, result: { answer: 42 } })
    expect(running.map(({ request }) => request)).toEqual(['a', 'b'])
    expect(jobs.list().map(({ id }) => id)).toEqual([second.id, first.id])
    expect(jobs.list()[1]).not.toHaveProperty('result')
    expect(changes.filter(({ id }) => id === first.id).map(({ state }) => state)).toEqual([
      'waiting',
      'running',
      'running',
      'done',
    ])
    const closing = jobs.close()
    running[1]!.end(null)
    await closing
  })

  it('fail with the message of a RenError, or with a reference for other errors', async () => {
    const { jobs, running, logMessages } = start()
    const known = jobs.start('a')
    running[0]!.fail(new RenError('plan-invalid', 'no such plan'))
    await soon()
    expect(jobs.get(known.id)).toMatchObject({
      state: 'failed',
      error: { code: 'plan-invalid', message: 'no such plan' },
    })
    const unknown = jobs.start('b')
    running[1]!.fail(new TypeError('secret of the house'))
    await soon()
    expect(jobs.get(unknown.id)).toMatchObject({ state: 'failed', error: { code: 'internal' } })
    expect(jobs.get(unknown.id).error!.message).not.toContain('secret')
    expect(logMessages[0]!.message).toContain('secret of the house')
  })

  it('can be removed while they run or wait', async () => {
    const { jobs, running } = start()
    const [first, second, third] = ['a', 'b', 'c'].map((name) => jobs.start(name))
    expect(jobs.end(second!.id).state).toBe('canceled')
    expect(jobs.end(first!.id).state).toBe('canceled')
    expect(running[0]!.signal.aborted).toBe(true)
    expect(() => jobs.get(first!.id)).toThrow(/no run/)
    running[0]!.fail(new Error('stopped'))
    await soon()
    expect(running.map(({ request }) => request)).toEqual(['a', 'c'])
    running[1]!.end(1)
    await soon()
    expect(jobs.end(third!.id).state).toBe('done')
    expect(jobs.list()).toEqual([])
  })

  it('can be stopped and stay in the list with their progress', async () => {
    const { jobs, running, changes } = start()
    const [first, second] = ['a', 'b'].map((name) => jobs.start(name))
    running[0]!.report({ share: 0.5, message: 'half', data: [1] })
    const stopped = { state: 'canceled', ended: 7, progress: { share: 0.5, data: [1] } }
    expect(jobs.stop(first!.id)).toMatchObject(stopped)
    expect(jobs.stop(second!.id)).toMatchObject({ state: 'canceled', progress: { share: 0 } })
    expect(changes.at(-1)).toMatchObject({ id: second!.id, state: 'canceled' })
    // Its later progress is ignored.
    running[0]!.report({ share: 0.9, message: 'nearly' })
    running[0]!.end({ answer: 42 })
    await soon()
    expect(jobs.get(first!.id)).toMatchObject(stopped)
    expect(jobs.get(first!.id)).not.toHaveProperty('result')
    expect(jobs.list()).toHaveLength(2)
    expect(running).toHaveLength(1)
    const done = jobs.start('c')
    running[1]!.end(1)
    await soon()
    expect(jobs.stop(done.id)).toMatchObject({ state: 'done', result: 1 })
    expect(() => jobs.stop('none')).toThrow(/no run/)
  })

  it('send data once, and retain it for later requests', async () => {
    const { jobs, running, changes } = start()
    const { id } = jobs.start('a')
    running[0]!.report({ share: 0.5, message: 'half', data: [1] })
    running[0]!.report({ share: 0.6, message: 'more' })
    expect(changes.at(-1)?.progress).toEqual({ share: 0.6, message: 'more' })
    expect(jobs.get(id).progress).toEqual({ share: 0.6, message: 'more', data: [1] })
    running[0]!.report({ share: 0.7, message: 'yet more', data: [2] })
    expect(jobs.stop(id).progress.data).toEqual([2])
    running[0]!.end(null)
    await jobs.close()
  })

  it('are limited in the queue and in the list', async () => {
    const { jobs, running } = start()
    for (let i = 0; i <= limits.waiting; i++) jobs.start('a')
    expect(() => jobs.start('one too many')).toThrow(/at most 16 jobs can wait/)
    for (let i = 0; i < limits.jobs + 20; i++) {
      running[i]!.end(i)
      await soon()
      jobs.start('b')
    }
    expect(jobs.list()).toHaveLength(limits.jobs)
  })

  it('are refused without a runner', () => {
    const jobs = new Jobs<string>({
      what: 'import',
      runner: undefined,
      about: () => ({}),
      clock: () => 0,
      onChange: () => {},
      onLogMessage: () => {},
    })
    expect(() => jobs.start('a')).toThrow(/started without imports/)
  })
})
