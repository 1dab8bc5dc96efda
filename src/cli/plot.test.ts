import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runRenHere } from '../../test/run-here.ts'
import { runRen } from '../../test/run-ren.ts'

const results = 'paper/results/syn-s'
const two = ['--methods', 'GRU4Rec,REN-G']
const plot = (...args: string[]) => runRenHere(['plot', ...args])
const temporary = (): string => mkdtempSync(join(tmpdir(), 'ren-plot-'))

describe('ren plot', () => {
  it('draws the curves of results and says where they end', async () => {
    const { code, stdout } = await runRen(['plot', results, ...two])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^syn-s, \w+: reward$/m)
    for (const mark of ['● GRU4Rec', '○ REN-G']) expect(stdout).toContain(mark)
    expect(stdout).toMatch(/^REN-G +0\.\d{4} ± 0\.\d{4} \(20 seeds\)$/m)
  })

  it('prints the very curves as JSON', async () => {
    const { stdout } = await plot(results, '--series', 'regret', '--json')
    const { series, curves } = JSON.parse(stdout) as {
      series: string
      curves: { method: string; at: number[]; points: { mean: number }[] }[]
    }
    expect(series).toBe('regret')
    for (const { at, points } of curves) expect(points).toHaveLength(at.length)
    const summary = JSON.parse(readFileSync(join(results, 'summary.json'), 'utf8')) as {
      methods: { method: string; series: { regret: { mean: number }[] } }[]
    }
    expect(curves[0]!.points).toEqual(summary.methods[0]!.series.regret)
  })

  it('writes a picture', async () => {
    const folder = temporary()
    const [svg, png] = ['a.svg', 'a.png'].map((file) => join(folder, file)) as [string, string]
    expect((await plot(results, ...two, '--out', svg)).code).toBe(0)
    expect(readFileSync(svg, 'utf8')).toMatch(/^<svg[^>]* xmlns=/)
    expect((await plot(results, ...two, '--out', png)).code).toBe(0)
    expect(readFileSync(png).subarray(1, 4).toString()).toBe('PNG')
  })

  it.each([
    [['nowhere'], 'there is no file', 'results-unusable'],
    [[results, '--panel', 'x'], '--panel: nothing is called x; there are', 'invalid-argument'],
    [[results, '--series', 'x'], '--series: nothing is called x; there are', 'invalid-argument'],
    [[results, '--methods', 'x'], '--methods: nothing is called x; there are', 'invalid-argument'],
    [[results, '--out', 'a.png'], '--methods chooses some of GRU4Rec', 'invalid-argument'],
    [[results, '--out', 'a.gif'], 'expected a name in .svg or .png', 'invalid-argument'],
  ])('refuses %j in words', async (args, message, errorCode) => {
    const { code, stderr } = await plot(...args)
    expect(code).toBe(1)
    expect(stderr).toContain(message)
    expect(stderr).toContain(`(${errorCode})`)
  })

  it('refuses what is no summary', async () => {
    const folder = temporary()
    writeFileSync(join(folder, 'summary.json'), 'x')
    expect((await plot(folder)).stderr).toContain('summary.json: expected JSON (results-unusable)')
  })
})
