import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

import { defaultTrivago, makeTrivago, writeGeneratedData } from '../../datasets/index.ts'
import { worldOf } from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'ren-notes-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('worlds of generated data', () => {
  it('say so, also where they stand in the place of the original', async () => {
    const sizes = { users: 40, items: 200, interactions: 120, hours: 30 }
    const generated = makeTrivago({ ...defaultTrivago, ...sizes })
    await writeGeneratedData(join(folder, 'trivago'), generated)
    const played = await worldOf('trivago').create({}, 1, folder)
    const small = await worldOf('trivago-made').create(sizes, 1, undefined)
    for (const { note } of [played, small]) expect(note).toBe('made data, not the original')
    const syn = await worldOf('syn-s').create({}, 1, undefined)
    expect(syn).not.toHaveProperty('note')
  })
})

describe('a log that is shorter than an interval', () => {
  it('is refused with a word about the unit of time', async () => {
    const path = join(folder, 'short.csv')
    writeFileSync(path, 'user,item,time\na,x,1\na,y,2\nb,x,90000\n')
    await expect(worldOf('log').create({ file: path }, 1, undefined)).rejects.toThrow(
      /within one interval of 24 hours.*timeUnit/,
    )
  })
})
