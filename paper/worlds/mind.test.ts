import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import type { RenEvent } from '../../src/recommender/index.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'
import { mind } from './mind.ts'

const files = temporaryFiles()

describe('the world mind', () => {
  it('needs a folder of datasets', async () => {
    await expect(mind.create({}, 1, undefined)).rejects.toMatchObject({ code: 'dataset-missing' })
  })

  it('reports what is missing at every request', async () => {
    for (let time = 0; time < 2; time++) {
      await expect(mind.create({}, 1, files.folder)).rejects.toMatchObject({
        code: 'dataset-missing',
      })
    }
  })

  it.each([
    [{ feedback: 'some' }, 'feedback must be chosen or full'],
    [{ users: 3 }, 'has no key "users"'],
  ])('refuses %o', (settings, message) => {
    expect(() => mind.check(settings)).toThrow(message)
  })

  // The published file may not be given on: set REN_DATA to the folder that holds it.
  const data = process.env['REN_DATA'] ?? join(import.meta.dirname, '../../../shared/data')
  it.skipIf(!existsSync(join(data, 'mind-5k')))(
    'of the first 5,000 impressions of MIND have 270 to warm up with and 4,730 rounds',
    async () => {
      const world = await mind.create({}, 1, data)
      expect(world.steps).toBe(4730)
      const { events } = world.warmUp!
      expect(events.filter(({ kind }) => kind === 'recommendation')).toHaveLength(270)
      const named = new Set<string>()
      const receive = (some: readonly RenEvent[] = []) => {
        for (const event of some) {
          if (event.kind === 'interaction') named.add(event.item)
          if (event.kind === 'recommendation') for (const { item } of event.items) named.add(item)
        }
      }
      receive(events)
      for (let round = world.nextRound(); round !== null; round = world.nextRound()) {
        receive(round.newEvents)
        for (const item of round.candidates!) named.add(item)
      }
      expect(named.size).toBe(19_036)
    },
    60_000,
  )
})
