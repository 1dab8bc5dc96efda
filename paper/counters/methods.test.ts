import { describe, expect, it } from 'vitest'

import { enter, requireContestant } from '../../src/experiments/contestants.ts'
import { createEngine } from '../../src/kernels/index.ts'
import { createColdContent, run } from '../../src/simulation/index.ts'
import { known } from '../plans/protocols.ts'
import { createCohorts } from '../worlds/cohorts.ts'

const itemNames = ['a', 'b', 'c', 'd', 'e', 'f']
const users = Array.from({ length: 40 }, (_, u) => ({
  name: `user ${u}`,
  items: ['e', itemNames[u % 4]!],
}))

/** The mean reward in a world where everyone likes e. */
async function earnedBy(method: string, settings = {}): Promise<number> {
  const own = await createEngine({ kernel: 'reference' })
  const cohorts = createCohorts({ seed: 1, itemNames, users, cohorts: 4, sweeps: 1, slateSize: 1 })
  const { environment, contestant } = enter(own, cohorts, method, settings, 1, known.methods)
  const rows = [...run(environment, contestant)]
  own.close()
  return rows.reduce((sum, { reward }) => sum + reward, 0) / rows.length
}

describe('the counters', () => {
  it.each([
    ['popular-in-hindsight', 1],
    ['click-rate', 0.5],
    ['click-rate-ucb', 0.5],
    ['beta-ts', 0.5],
  ])('%s has a higher reward than chance', async (method, least) => {
    expect(await earnedBy(method)).toBeGreaterThanOrEqual(least)
  })

  it('can learn in intervals', async () => {
    expect(await earnedBy('click-rate', { atOnce: false })).toBeGreaterThan(0.3)
  })

  it('refuses unknown settings', () => {
    requireContestant('click-rate-ucb', { bonusWeight: 0.2, clicks: 1 }, known.methods)
    expect(() => requireContestant('click-rate', { bonusWeight: 0.2 }, known.methods)).toThrow(
      'click-rate has no setting bonusWeight; it has clicks, misses, atOnce',
    )
    expect(() => requireContestant('popular-in-hindsight', { clicks: 1 }, known.methods)).toThrow(
      'it has none',
    )
  })

  it('refuse wrong settings before the first run', () => {
    expect(() => requireContestant('beta-ts', { clicks: -1 }, known.methods)).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
    expect(() => requireContestant('popular-in-hindsight', {}, known.methods)).not.toThrow()
  })

  it('play in a world whose items join with vectors', async () => {
    const engine = await createEngine()
    const content = createColdContent({ seed: 1, steps: 30, liveItems: 12, slateSize: 3, users: 2 })
    const match = enter(engine, content, 'click-rate-ucb', {}, 7, known.methods)
    expect([...run(match.environment, match.contestant)]).toHaveLength(30)
    engine.close()
  })
})
