// A disk that is full after 20 MB.

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { surviveFullDisk } from '../durability/full-disk.ts'
import { temporaryFiles } from '../temporary-files.ts'

const { folder } = temporaryFiles()

it('retains all acknowledged events when 20 MB are full', async () => {
  const acknowledged = await surviveFullDisk(join(folder, 'full.db'), 20_000)
  expect(acknowledged).toBeGreaterThan(10_000)
  console.log(`${acknowledged} events acknowledged before the disk was full, all of them there`)
})
