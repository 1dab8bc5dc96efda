// Five rounds of kill -9; `npm run test:long` runs fifty.

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { freshSchema, hasPostgres } from '../postgres.ts'
import { temporaryFiles } from '../temporary-files.ts'
import { surviveKills } from './kill-rounds.ts'

const { folder } = temporaryFiles()

it('loses no acknowledged event when it is killed under write load', async () => {
  const { rounds, acknowledged } = await surviveKills(join(folder, 'killed.db'), 5)
  expect(rounds).toBe(5)
  expect(acknowledged).toBeGreaterThan(50)
}, 120_000)

it.skipIf(!hasPostgres)(
  'loses no acknowledged event in a PostgreSQL store',
  async () => {
    const { acknowledged } = await surviveKills(await freshSchema(), 3)
    expect(acknowledged).toBeGreaterThan(20)
  },
  120_000,
)
