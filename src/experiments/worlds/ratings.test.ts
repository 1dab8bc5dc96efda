import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

import { worldOf } from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'ren-ratings-'))
afterAll(() => rmSync(folder, { recursive: true }))

function written(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

describe('the world ratings', () => {
  const create = (file: string) => worldOf('ratings').create({ file, steps: 3 }, 1, undefined)

  it('reads a table whose columns stand in any order', async () => {
    const file = written('table.csv', 'rating,item,user,note\n2,x,ann,fine\n6,y,ann,\n4,x,bob,\n')
    const world = await create(file)
    expect(world).toMatchObject({ itemNames: ['x', 'y'], steps: 3 })
    expect(world.popularity!('x')).toBe(0.25)
    expect(world.popularity!('y')).toBe(1)
  })

  it.each([
    ['no-rating.csv', 'user,item\nann,x\n', 'user, item and rating'],
    ['no-number.csv', 'user,item,rating\nann,x,good\n', 'a number'],
  ])('refuses %s', async (name, text, message) => {
    await expect(create(written(name, text))).rejects.toThrow(message)
  })
})
