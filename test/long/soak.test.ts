// Ten minutes of mixed traffic: nothing fails and memory does not grow. bench/service.md has its output.

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { soak } from '../../bench/service/soak.ts'
import { temporaryFiles } from '../temporary-files.ts'

const { folder } = temporaryFiles()

it('serves for ten minutes without memory growth', async () => {
  const report = await soak(join(folder, 'soak.db'), 600)
  console.log(JSON.stringify(report))
  expect(report.failures).toBe(0)
  expect(report.growth).toBeLessThan(1.05)
})
