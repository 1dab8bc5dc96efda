import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { runRenHere } from '../../test/run-here.ts'
import { startScript } from '../../test/run-ren.ts'
import { walkFile } from '../../test/walk-plan.ts'

describe('ren reproduce', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ren-reproduce-'))
  const path = (...parts: string[]): string => join(folder, ...parts)
  const start = (out: string, ...args: string[]) =>
    startScript('test/ren-walk.ts', [
      'reproduce',
      '--plans',
      path(),
      '--data',
      path(),
      '--out',
      path(out),
      ...args,
    ])
  const reproduce = (out: string, ...args: string[]) => start(out, ...args).ended
  const rows = (out: string, plan = 'walk'): string => {
    const file = path(out, plan, 'rows.ndjson')
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  /** Sends a signal once some rows, but not all, are on disk. */
  async function cutShort(out: string, signal: 'SIGKILL' | 'SIGINT') {
    const { child, ended } = start(out, 'slow', '--workers', '2')
    while (child.exitCode === null && rows(out, 'slow').split('\n').length < 4) await setTimeout(5)
    child.kill(signal)
    return ended
  }

  beforeAll(async () => {
    const write = (name: string, change: object): void =>
      writeFileSync(path(`${name}.json`), JSON.stringify({ ...walkFile, name, ...change }))
    const slow = [{ ...walkFile.panels[0]!, world: { steps: 20, pause: 10 } }]
    write('walk', {})
    write('slow', { panels: slow, seeds: '200..207', quick: { seeds: '1', world: {} } })
    write('far', { data: ['movielens-1m'], group: 'away' })
    write('falls', { methods: walkFile.methods.map((of) => ({ ...of, settings: { fails: 201 } })) })
    await reproduce('whole', 'slow', 'walk')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('lists the experiments without a name', async () => {
    const { code, stdout } = await reproduce('none')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^walk {3}Random walks$/m)
    expect(stdout).toMatch(/^far {4}Random walks \(part of away\)$/m)
  })

  it('resumes after a kill and gives the same bytes', async () => {
    await cutShort('killed', 'SIGKILL')
    const before = rows('killed', 'slow')
    expect(before.length).toBeLessThan(rows('whole', 'slow').length)
    const { code, stdout } = await reproduce('killed', 'slow', '--json')
    const [report] = JSON.parse(stdout) as [{ ran: number }]
    expect(code).toBe(0)
    expect(report.ran).toBeLessThan(16)
    for (const file of ['rows.ndjson', 'summary.json', 'table.md', 'curves.svg']) {
      expect(readFileSync(path('killed', 'slow', file))).toEqual(
        readFileSync(path('whole', 'slow', file)),
      )
    }
  })

  it('saves completed runs on Ctrl-C and says how to resume', async () => {
    const { code, stdout, stderr } = await cutShort('stopped', 'SIGINT')
    expect(stderr).toBe('')
    expect(stdout).toMatch(
      /^slow: stopped after \d+ runs more in .*; run the command again to resume/,
    )
    expect(code).toBe(130)
    expect(rows('stopped', 'slow').split('\n').length).toBeGreaterThanOrEqual(4)
    expect((await reproduce('stopped', 'slow')).code).toBe(0)
    expect(rows('stopped', 'slow')).toBe(rows('whole', 'slow'))
  })

  it('reports failed runs with their reasons and exits with 1', async () => {
    const { code, stdout, stderr } = await reproduce('failed', 'falls')
    expect(code).toBe(1)
    expect(stderr).toContain('falls: level in short, seed 201 failed: it fell off the edge')
    expect(stdout).toMatch(
      /^falls: 4 of 12 runs failed; no summary was written; run the command again/,
    )
    expect(stdout).toMatch(/^ {2}uphill in long, seed 201: it fell off the edge$/m)
  })

  it('skips experiments without data with all, and refuses them by name', async () => {
    const all = await reproduce('all', 'all', '--quick', '--seeds', '1')
    expect(all.stderr).toMatch(/^skipped far: .*MovieLens 1M/m)
    expect(all.stdout).toMatch(/^walk: 2 runs done/m)
    const named = await reproduce('all', 'away')
    expect(named.stderr).toMatch(/dataset-missing/)
    expect([all.code, named.code]).toEqual([0, 1])
  })

  it('reports equal results with --check, and a changed row', async () => {
    const equal = await reproduce('whole', 'walk', '--check')
    expect(equal).toEqual({
      code: 0,
      stderr: '',
      stdout: 'walk: level in short, seed 201: equal\n',
    })
    const changed = rows('whole').replaceAll(/"end":[-\d.]+/g, '"end":1000')
    writeFileSync(path('whole', 'walk', 'rows.ndjson'), changed)
    const different = await reproduce('whole', 'walk', '--check')
    expect(different.code).toBe(1)
    expect(different.stdout).toMatch(/seed 201: DIFFERENT, largest difference .*, in measure end/)
  })

  it.each([
    ['invalid seeds', ['walk', '--seeds', '3..1'], /--seeds.*200\.\.219/],
    [
      'an unknown experiment',
      ['swim', '--plans', folder],
      /among falls, away, slow, walk, or all; got swim/,
    ],
    ['a folder without plans', ['walk', '--plans', 'nowhere'], /nowhere must be a folder of plans/],
  ])('refuses %s', async (_, args, message) => {
    const { code, stderr } = await runRenHere(['reproduce', ...args])
    expect(stderr).toMatch(message)
    expect(code).toBe(1)
  })
})
