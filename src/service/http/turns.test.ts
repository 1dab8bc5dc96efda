import { describe, expect, it } from 'vitest'
import { createTurns } from './turns.ts'

/** What was begun and what was answered, in order. */
function recorded(count: number) {
  const inTurn = createTurns()
  const told: string[] = []
  const work = Array.from({ length: count }, async (_, at) => {
    await inTurn(async () => told.push(`begin ${at}`))
    told.push(`end ${at}`)
  })
  return { told, done: Promise.all(work) }
}

describe('work of one turn of the event loop', () => {
  it('is done in order, and answered when all of it is done', async () => {
    const { told, done } = recorded(3)
    expect(told).toEqual([])
    await done
    expect(told).toEqual(['begin 0', 'begin 1', 'begin 2', 'end 0', 'end 1', 'end 2'])
  })

  it('waits for the next turn where there is much of it', async () => {
    const { told, done } = recorded(40)
    await done
    expect(told.indexOf('end 0')).toBeLessThan(told.indexOf('begin 16'))
    expect(told.filter((each) => each.startsWith('begin'))).toHaveLength(40)
    expect(told.at(-1)).toBe('end 39')
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
