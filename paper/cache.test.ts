import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

import { afterAll, describe, expect, it } from 'vitest'

import { cached, codeDigest, digest } from './cache.ts'

const created: string[] = []
const newName = (): string => `test-${randomUUID()}`
afterAll(() => created.forEach((path) => rmSync(path, { force: true })))

describe('the cache on disk', () => {
  it('creates an entry once', async () => {
    const name = newName()
    let times = 0
    const make = (path: string) => writeFileSync(path, String(++times))
    const path = await cached(name, make)
    created.push(path)
    expect(await cached(name, make)).toBe(path)
    expect(readFileSync(path, 'utf8')).toBe('1')
  })

  it('has a complete entry if two callers create it at the same time', async () => {
    const name = newName()
    const make = async (path: string) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      writeFileSync(path, 'whole')
    }
    const [first, second] = await Promise.all([cached(name, make), cached(name, make)])
    created.push(first)
    expect(second).toBe(first)
    expect(readFileSync(first, 'utf8')).toBe('whole')
  })

  it('has no entry after a failure, so that the next caller tries again', async () => {
    const name = newName()
    let half = ''
    const failing = cached(name, (path) => {
      half = path
      writeFileSync(path, 'half')
      throw new Error('no more room')
    })
    await expect(failing).rejects.toThrow('no more room')
    expect(existsSync(half)).toBe(false)
    const path = await cached(name, (part) => writeFileSync(part, 'whole'))
    created.push(path)
    expect(dirname(path)).toBe(dirname(half))
  })

  it('names an entry by a digest of its inputs', () => {
    expect(digest({ seed: 1 })).not.toBe(digest({ seed: 2 }))
    expect(codeDigest('src/core/*.ts')).toBe(codeDigest('src/core/*.ts'))
    expect(codeDigest('src/core/*.ts')).not.toBe(codeDigest('src/{core,kernels}/*.ts'))
  })
})
