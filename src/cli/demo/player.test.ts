import { describe, expect, it } from 'vitest'

import type { UserEvent } from '../../service/index.ts'
import { createPlayer } from './player.ts'
import { entrantsOf } from './settings.ts'
import { catalog, itemName, userName } from './tastes.ts'

const [entrant] = entrantsOf([1])
const liked: ReadonlySet<number>[] = []

/** Shows all users the same four items and records the reported events; fails at a given call. */
function startPlayer(rounds: number, failsAt = Infinity) {
  const reported: (readonly UserEvent[])[] = []
  const items = catalog().slice(0, 4)
  let calls = 0
  const service = {
    recommend: async () => ({ recommendationId: 'an id', items }) as never,
    async record(events: readonly UserEvent[]) {
      if (++calls === failsAt) throw new Error('the disk is full')
      reported.push(events)
      return {} as never
    },
  }
  const newUser = (likes: ReadonlySet<number>) => userName(liked.push(likes), likes)
  const player = createPlayer({ service, entrant: entrant!, rounds, newUser })
  return { player, reported, shown: items.map(({ item }) => item) }
}

describe('a player', () => {
  it('tells of the item taken and of those worth nothing, the taken one last, and of no more', async () => {
    const { player, reported, shown } = startPlayer(100)
    await player.playTo(100)
    expect(reported).toHaveLength(100)
    for (const events of reported) {
      const taken = events.at(-1)!
      expect(
        new Set(events.map(({ user, recommendationId }) => user + recommendationId!)).size,
      ).toBe(1)
      const likes = liked[Number(/\d+/.exec(taken.user)![0]) - 1]!
      const worth = (item: string): number =>
        [...likes].filter((taste) => item.split(' + ').includes(itemName([taste]))).length
      expect(taken.reward! * Math.sqrt(6)).toBeCloseTo(worth(taken.item!))
      expect(worth(taken.item!)).toBe(Math.max(...shown.map(worth)))
      const others = events.slice(0, -1)
      expect(others.every(({ reward }) => reward === 0)).toBe(true)
      const worthless = shown.filter((item) => worth(item) === 0 && item !== taken.item)
      expect(others.map(({ item }) => item)).toEqual(worthless)
    }
  })

  it('plays a round again that failed, and none twice', async () => {
    const { player, reported } = startPlayer(30, 7)
    await expect(player.playTo(20)).rejects.toThrow('the disk is full')
    expect(reported).toHaveLength(6)
    await player.playTo(20)
    await player.playTo(20)
    expect(reported).toHaveLength(20)
    expect(player.describe()).toMatchObject({ at: [10, 20], variant: 'REN 1', seed: 1 })
  })

  it.each([
    [2000, 10, 200],
    [4000, 20, 200],
    [3001, 20, 150],
  ])('has of %i rounds a point every %i, %i in all', async (rounds, every, points) => {
    const { player } = startPlayer(rounds)
    await player.playTo(rounds)
    const { at } = player.describe()
    expect([at[0], at.length]).toEqual([every, points])
  })
})
