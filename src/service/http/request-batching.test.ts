import { describe, expect, it } from 'vitest'

import { createBatching } from './routes/recommendations.ts'

/** The starts and the ends of requests, in order. */
function recorded(count: number) {
  const inTurn = createBatching()
  const reported: string[] = []
  const work = Array.from({ length: count }, async (_, at) => {
    await inTurn(async () => reported.push(`begin ${at}`))
    reported.push(`end ${at}`)
  })
  return { reported, done: Promise.all(work) }
}

describe('requests in one turn of the event loop', () => {
  it('are served in order, and answered when all are done', async () => {
    const { reported, done } = recorded(3)
    expect(reported).toEqual([])
    await done
    expect(reported).toEqual(['begin 0', 'begin 1', 'begin 2', 'end 0', 'end 1', 'end 2'])
  })

  it('wait for the next turn if there are many', async () => {
    const { reported, done } = recorded(40)
    await done
    expect(reported.indexOf('end 0')).toBeLessThan(reported.indexOf('begin 16'))
    expect(reported.filter((each) => each.startsWith('begin'))).toHaveLength(40)
    expect(reported.at(-1)).toBe('end 39')
  })

  it('fail separately', async () => {
    const inTurn = createBatching()
    const refuse = (): Promise<never> => {
      throw new Error('no')
    }
    const [failed, other] = await Promise.allSettled([inTurn(refuse), inTurn(async () => 'yes')])
    expect(failed).toMatchObject({ status: 'rejected', reason: new Error('no') })
    expect(other).toEqual({ status: 'fulfilled', value: 'yes' })
  })
})
