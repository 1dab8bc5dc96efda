import { describe, expect, it } from 'vitest'

import type { Round } from '../../simulation/index.ts'
import type { Settings } from '../protocol.ts'
import { worldOf } from './index.ts'

describe('the worlds with known items', () => {
  const roundsOf = async (name: string, settings: Settings = {}) => {
    const environment = await worldOf(name).create(settings, 1, undefined)
    const rounds: Round[] = []
    for (let round = environment.nextRound(); round; round = environment.nextRound()) {
      environment.respond(round, environment.bestSlate(round))
      rounds.push(round)
    }
    return { environment, rounds }
  }

  it.each([
    ['new-users', 3000, 1, 30],
    ['find-the-genre', 400, 10, 4],
  ])(
    'include %s: %i rounds, slates of %i, a new user every %i rounds',
    async (name, ...expected) => {
      const [steps, slateSize, stay] = expected
      const { environment, rounds } = await roundsOf(name)
      expect(environment.steps).toBe(steps)
      expect(rounds.map(({ count }) => count)).toEqual(rounds.map(() => slateSize))
      expect(rounds.map(({ user }) => user)).toEqual(
        rounds.map((_, i) => `user ${Math.floor(i / stay)}`),
      )
    },
  )

  it('include cold-content: 1000 rounds, slates of 10, 50 users, 300 items at a time', async () => {
    const { environment, rounds } = await roundsOf('cold-content')
    expect(environment.steps).toBe(1000)
    expect(new Set(rounds.map(({ user }) => user)).size).toBe(50)
    for (const { count, candidates } of rounds)
      expect([count, candidates!.length]).toEqual([10, 300])
  })

  it('have the options of the synthetic worlds in new-users', async () => {
    const { rounds } = await roundsOf('new-users', { steps: 60, arrivalEvery: 10, slateSize: 2 })
    expect(rounds.at(-1)).toMatchObject({ step: 60, user: 'user 5', count: 2 })
  })

  it.each<[string, Settings, string]>([
    ['new-users', { repeats: 2 }, 'has no key "repeats"'],
    ['find-the-genre', { genres: 0 }, 'genres must be'],
    ['cold-content', { minAppeal: 2 }, 'minAppeal must be'],
  ])('of the name %s refuse %o', (name, settings, message) => {
    expect(() => worldOf(name).check(settings)).toThrow(message)
  })
})
