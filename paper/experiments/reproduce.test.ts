import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

import type { RunProgress } from '../../src/experiments/jobs.ts'
import { walkFile, walkPlan } from '../../test/walk-plan.ts'
import { walkRegistry } from '../../test/walk-protocol.ts'
import { checkResults } from './check-results.ts'
import type { Manifest } from './manifest.ts'
import type { Plan } from './plan-schema.ts'
import { reproduce, type ReproduceOptions } from './reproduce.ts'
import { parseRows } from './results-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'ren-reproduce-'))
afterAll(() => rmSync(folder, { recursive: true }))

let folders = 0
const newFolder = (): string => join(folder, String(folders++))

const run = (plan: Plan, out: string, more: Partial<ReproduceOptions> = {}) =>
  reproduce(plan, {
    out,
    data: folder,
    workers: 2,
    registry: walkRegistry,
    command: 'a test',
    ...more,
  })
const read = (out: string, file: string): string => readFileSync(join(out, 'walk', file), 'utf8')
const manifestOf = (out: string) => JSON.parse(read(out, 'manifest.json')) as Manifest

describe('reproducing a plan', () => {
  it('copies runs of another plan, with its own names, except with --fresh', async () => {
    const out = newFolder()
    const first = walkPlan()
    await run(first, out)
    const [short] = first.panels
    const second: Plan = {
      ...first,
      name: 'other',
      seeds: '201..203',
      panels: [{ ...short!, name: 'brief', title: 'brief' }],
      figures: [],
      check: [{ panel: 'brief', method: 'level', seed: 201 }],
    }
    const rowsOf = (plan: string) =>
      parseRows(readFileSync(join(out, plan, 'rows.ndjson'), 'utf8'), plan)
    await run(second, out)
    const copied = rowsOf('other').filter(({ seed }) => seed < 203)
    const there = rowsOf('walk').filter(({ panel, seed }) => panel === 'short' && seed > 200)
    expect(copied).toEqual(there.map((row) => ({ ...row, panel: 'brief' })))
    expect(copied).toHaveLength(4)
    const manifest = (): Manifest =>
      JSON.parse(readFileSync(join(out, 'other', 'manifest.json'), 'utf8')) as Manifest
    expect(manifest().sessions).toMatchObject([{ copied: 4 }])
    await run(second, out, { fresh: true })
    expect(manifest().sessions.map((session) => session.copied)).toEqual([undefined])
  })

  it('writes rows in the order of the plan, a summary, figures and a table', async () => {
    const out = newFolder()
    const report = await run(walkPlan(), out)
    expect(report).toMatchObject({ plan: 'walk', runs: 12, ran: 12, failures: [] })
    const rows = read(out, 'rows.ndjson').trimEnd().split('\n')
    expect(rows.map((line) => line.replace(/,"at.*/, ''))).toEqual(
      ['short', 'long'].flatMap((panel) =>
        ['uphill', 'level'].flatMap((method) =>
          [200, 201, 202].map((seed) => `{"panel":"${panel}","seed":${seed},"method":"${method}"`),
        ),
      ),
    )
    expect(readdirSync(join(out, 'walk')).toSorted()).toEqual([
      'curves.png',
      'curves.svg',
      'manifest.json',
      'rows.ndjson',
      'summary.json',
      'table.md',
    ])
    expect(read(out, 'table.md')).toMatch(/^generated data\n\n\| method/)
    expect(JSON.parse(read(out, 'summary.json'))).toMatchObject({
      plan: 'walk',
      comparisons: [{ panel: 'short', difference: { count: 3 } }, { panel: 'long' }],
    })
  })

  it('records in the manifest where, when and how the rows were computed', async () => {
    const out = newFolder()
    await run(walkPlan(), out)
    const { plan, kernel, seeds, sessions } = manifestOf(out)
    expect({ plan, kernel, seeds }).toEqual({
      plan: walkPlan(),
      kernel: 'simd128',
      seeds: [200, 201, 202],
    })
    expect(sessions).toHaveLength(1)
    expect(sessions[0]).toMatchObject({ command: 'a test', node: process.version })
    expect(sessions[0]!.finished! >= sessions[0]!.started).toBe(true)
    expect(sessions[0]!.peakMemory).toBeGreaterThan(1e6)
    expect(sessions[0]!.machine.cores).toBeGreaterThan(0)
  })

  it('gives the same bytes with one worker and with several', async () => {
    const [one, several] = [newFolder(), newFolder()]
    await run(walkPlan(), one, { workers: 1 })
    await run(walkPlan(), several, { workers: 4 })
    for (const file of ['rows.ndjson', 'summary.json', 'curves.svg', 'table.md']) {
      expect(read(several, file)).toBe(read(one, file))
    }
  })

  it('runs only what is missing, for other seeds and after an incomplete line', async () => {
    const [out, whole] = [newFolder(), newFolder()]
    await run(walkPlan({ seeds: '200..201', check: [check(200)] }), out)
    const path = join(out, 'walk', 'rows.ndjson')
    writeFileSync(path, read(out, 'rows.ndjson').slice(0, -10))
    expect(await run(walkPlan(), out)).toMatchObject({ runs: 12, ran: 5 })
    await run(walkPlan(), whole)
    expect(read(out, 'rows.ndjson')).toBe(read(whole, 'rows.ndjson'))
    expect(manifestOf(out).sessions).toHaveLength(2)
    expect(await run(walkPlan(), out)).toMatchObject({ ran: 0 })
    expect(manifestOf(out).sessions).toHaveLength(2)
  })

  it('refuses rows of a plan with other settings, except with --fresh', async () => {
    const out = newFolder()
    await run(walkPlan(), out)
    const other = walkPlan({ methods: [{ name: 'level', method: 'walk' }], ...alone })
    await expect(run(other, out)).rejects.toMatchObject({
      code: 'results-unusable',
      message: expect.stringMatching(/other methods or settings; use --fresh .* --out/) as string,
    })
    expect(await run(walkPlan({ title: 'Other words' }), out)).toMatchObject({ ran: 0 })
    expect(await run(other, out, { fresh: true })).toMatchObject({ ran: 6, runs: 6 })
  })

  it('runs only new methods after a plan got them, and keeps its earlier sessions', async () => {
    const [out, whole] = [newFolder(), newFolder()]
    const steep = { name: 'steep', method: 'walk', settings: { drift: 2 } }
    const larger = walkPlan({ methods: [steep, ...walkFile.methods] })
    await run(walkPlan(), out)
    expect(await run(larger, out)).toMatchObject({ runs: 18, ran: 6 })
    await run(larger, whole)
    expect(read(out, 'rows.ndjson')).toBe(read(whole, 'rows.ndjson'))
    expect(manifestOf(out)).toMatchObject({ plan: larger, sessions: [{}, {}] })
  })

  it('refuses malformed rows, and rows without a manifest', async () => {
    const out = newFolder()
    await run(walkPlan(), out)
    const path = join(out, 'walk', 'rows.ndjson')
    writeFileSync(path, read(out, 'rows.ndjson').replace('"seed":201', '"seed":"x"'))
    await expect(run(walkPlan(), out)).rejects.toThrow(/rows\.ndjson, line 2: seed must be integer/)
    writeFileSync(path, '{}}\n')
    await expect(run(walkPlan(), out)).rejects.toThrow(/line 1 must be JSON/)
    rmSync(join(out, 'walk', 'manifest.json'))
    await expect(run(walkPlan(), out)).rejects.toThrow(/has rows\.ndjson, but no manifest\.json/)
  })

  it('refuses to summarize by a measure that no row has', async () => {
    const comparisons = [{ method: 'uphill', against: 'level', measure: 'speed' }]
    await expect(run(walkPlan({ comparisons }), newFolder())).rejects.toThrow(
      /a measure speed to compare by, got end/,
    )
  })

  it('reports a failed run, completes the others, and repeats it the next time', async () => {
    const out = newFolder()
    const methods = (fails: number) => [
      { name: 'uphill', method: 'walk', settings: { drift: 1, fails } },
      { name: 'level', method: 'walk' },
    ]
    const received: string[] = []
    const report = await run(walkPlan({ methods: methods(201) }), out, {
      onFailure: ({ run: failed }) => received.push(failed),
    })
    expect(report).toMatchObject({ runs: 12, ran: 10 })
    expect(report.failures).toContainEqual({
      run: 'uphill in short, seed 201',
      reason: 'it fell off the edge',
      code: 'non-finite-result',
    })
    expect(received).toHaveLength(2)
    expect(manifestOf(out).seeds).toEqual([200, 202])
    expect(readdirSync(join(out, 'walk'))).not.toContain('summary.json')
    const again = await run(walkPlan({ methods: methods(201) }), out)
    expect(again.ran).toBe(0)
    expect(again.failures).toHaveLength(2)
  })

  it('checks the settings of all runs before the first one', async () => {
    const out = newFolder()
    const methods = [{ name: 'level', method: 'walk', settings: { speed: 1 } }]
    await expect(run(walkPlan({ methods, ...alone }), out)).rejects.toThrow(
      'level in short, seed 200: unknown setting speed',
    )
    await expect(run(walkPlan({ protocol: 'swim' }), out)).rejects.toThrow(
      'protocol must be one of walk, got swim',
    )
  })

  it('refuses to start without the data of the plan, and says where to get it', async () => {
    mkdirSync(join(folder, 'empty'))
    await expect(
      run(walkPlan({ data: ['movielens-1m'] }), newFolder(), { data: join(folder, 'empty') }),
    ).rejects.toMatchObject({
      code: 'dataset-missing',
      message: expect.stringContaining('GroupLens') as string,
    })
  })

  it('saves completed runs when it is stopped', async () => {
    const [out, whole] = [newFolder(), newFolder()]
    const stop = new AbortController()
    const slow = { ...walkPlan().panels[1]!, world: { steps: 20, pause: 5 } }
    const plan = walkPlan({ panels: [walkPlan().panels[0], slow] })
    const onProgress = ({ done }: RunProgress): void => {
      if (done >= 7) stop.abort()
    }
    const report = await run(plan, out, { signal: stop.signal, onProgress })
    expect(report.interrupted).toBe(true)
    expect(report.ran).toBeGreaterThanOrEqual(7)
    expect(report.ran).toBeLessThan(12)
    expect(await run(plan, out)).toMatchObject({ ran: 12 - report.ran, interrupted: false })
    await run(plan, whole)
    expect(read(out, 'rows.ndjson')).toBe(read(whole, 'rows.ndjson'))
  })
})

const check = (seed: number) => ({ panel: 'short', method: 'level', seed })
/** What else a plan of one method is. */
const alone = {
  comparisons: [],
  check: [{ panel: 'short', method: 'level', seed: 200 }],
}

describe('checking results', () => {
  const checkIn = (out: string) =>
    checkResults(walkPlan(), { out, data: folder, workers: 1, registry: walkRegistry })

  it('finds repeated runs equal, whatever their duration', async () => {
    const out = newFolder()
    await run(walkPlan(), out)
    const path = join(out, 'walk', 'rows.ndjson')
    writeFileSync(
      path,
      read(out, 'rows.ndjson').replaceAll('"milliseconds":1', '"milliseconds":99'),
    )
    expect(await checkIn(out)).toEqual({
      plan: 'walk',
      kernels: { recorded: 'simd128', here: 'simd128' },
      runs: [{ run: 'level in short, seed 201', equal: true }],
    })
  })

  it('finds a changed row, and reports the difference', async () => {
    const out = newFolder()
    await run(walkPlan(), out)
    const changed = read(out, 'rows.ndjson').replaceAll(/"end":[-\d.]+/g, '"end":1000')
    writeFileSync(join(out, 'walk', 'rows.ndjson'), changed)
    const { runs } = await checkIn(out)
    expect(runs).toHaveLength(1)
    expect(runs[0]).toMatchObject({ equal: false })
    expect(runs[0]!.difference).toMatch(/^largest difference .*, in measure end$/)
  })

  it('needs existing results', async () => {
    await expect(checkIn(newFolder())).rejects.toMatchObject({ code: 'results-unusable' })
  })
})
