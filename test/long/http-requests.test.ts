// Ten thousand generated requests, with stores on disk.

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sendGenerated } from '../generated-requests.ts'
import { closeServers } from '../servers.ts'
import { closeServices } from '../services.ts'
import { temporaryFiles } from '../temporary-files.ts'

const { folder } = temporaryFiles()
closeServices()
closeServers()

it.each([2, 3, 4, 5, 6])(
  'answers whatever is sent, and as it says it does: seed %d',
  async (seed) => {
    const outcomes = await sendGenerated(seed, 2000, join(folder, `${seed}.db`))
    expect(outcomes['right 2xx']).toBeGreaterThan(300)
  },
)
