import { describe, expect, it } from 'vitest'

import { createTurns } from './routes/recommendations.ts'

/** What was begun and what was answered, in order. */
function recorded(count: number) {
  const inTurn = createTurns()
  const reported: string[] = []
  const work = Array.from({ length: count }, async (_, at) => {
    await inTurn(async () => reported.push(`begin ${at}`))
    reported.push(`end ${at}`)
  })
  return { reported, done: Promise.all(work) }
}

describe('work of one turn of the event loop', () => {
  it('is done in order, and answered when all of it is done', async () => {
    const { reported, done } = recorded(3)
    expect(reported).toEqual([])
    await done
    expect(reported).toEqual(['begin 0', 'begin 1', 'begin 2', 'end 0', 'end 1', 'end 2'])
  })

  it('waits for the next turn where there is much of it', async () => {
    const { reported, done } = recorded(40)
    await done
    expect(reported.indexOf('end 0')).toBeLessThan(reported.indexOf('begin 16'))
    expect(reported.filter((each) => each.startsWith('begin'))).toHaveLength(40)
    expect(reported.at(-1)).toBe('end 39')
  })

  it('fails alone', async () => {
    const inTurn = createTurns()
    const refuse = (): Promise<never> => {
      throw new Error('no')
    }
    const [failed, other] = await Promise.allSettled([inTurn(refuse), inTurn(async () => 'yes')])
    expect(failed).toMatchObject({ status: 'rejected', reason: new Error('no') })
    expect(other).toEqual({ status: 'fulfilled', value: 'yes' })
  })
})
