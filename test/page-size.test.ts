// The JavaScript that a visitor of the dashboard loads: at most 90 kB gzip without the playground and the
// API reference.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { builtPage } from './e2e/dashboard.ts'

const bar = 90_000

/** Every script that a document loads, directly or through imports. */
function scriptsOf(folder: string, document: string): string[] {
  const found = new Set<string>()
  const visit = (text: string): void => {
    for (const [, name] of text.matchAll(/["'`](?:\.\/|\/assets\/|assets\/)([\w.-]+\.js)["'`]/g)) {
      if (found.has(name!)) continue
      found.add(name!)
      visit(readFileSync(join(folder, 'assets', name!), 'utf8'))
    }
  }
  visit(readFileSync(join(folder, document), 'utf8'))
  return [...found]
}

describe('the page', () => {
  let folder: string
  beforeAll(async () => {
    folder = await builtPage()
  }, 60_000)

  const zipped = (name: string): number =>
    gzipSync(readFileSync(join(folder, 'assets', name)), { level: 9 }).length

  it(`has at most ${bar / 1000} kB of JavaScript`, () => {
    const scripts = scriptsOf(folder, 'index.html')
    expect(scripts.length).toBeGreaterThan(0)
    const bytes = scripts.reduce((sum, name) => sum + zipped(name), 0)
    expect(bytes).toBeGreaterThan(10_000)
    expect(bytes).toBeLessThanOrEqual(bar)
  })

  it('does not load the worker of the playground, but the playground does', () => {
    const isWorker = (name: string): boolean => name.startsWith('worker-')
    expect(scriptsOf(folder, 'index.html').filter(isWorker)).toEqual([])
    expect(scriptsOf(folder, 'playground.html').filter(isWorker)).toHaveLength(1)
  })

  it('loads nothing from other hosts', () => {
    for (const document of ['index.html', 'playground.html', 'docs.html']) {
      expect(readFileSync(join(folder, document), 'utf8')).not.toMatch(/https?:|\/\//)
    }
  })
})
