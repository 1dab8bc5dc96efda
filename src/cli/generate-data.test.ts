import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, describe, expect, it } from 'vitest'

import { runRenHere } from '../../test/run-here.ts'
import { runRen } from '../../test/run-ren.ts'

describe('ren generate-data', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ren-generate-data-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const argsFor = (dataset: string, out: string, ...more: string[]): string[] =>
    ['generate-data', dataset, '--out', join(folder, out)].concat(more)
  const make = (...args: Parameters<typeof argsFor>) => runRenHere(argsFor(...args))
  const small = {
    trivago: ['--users', '20', '--items', '100', '--interactions', '30', '--hours', '2'],
    netflix: ['--users', '40', '--movies', '10', '--interactions', '100'],
  }

  it('writes a data set and prints one document', async () => {
    const { code, stdout } = await runRen(argsFor('trivago', 'a', ...small.trivago, '--json'))
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      out: join(folder, 'a'),
      files: ['train.csv', 'item_metadata.csv'],
      dataset: 'trivago',
      seed: '1',
      users: 20,
      interactions: 30,
    })
    expect(readdirSync(join(folder, 'a')).toSorted()).toEqual([
      'README.txt',
      'item_metadata.csv',
      'train.csv',
      'truth.json',
    ])
  })

  it('writes the same bytes for the same seed', async () => {
    const file = 'combined_data_1.txt'
    await runRen(argsFor('netflix', 'b', ...small.netflix, '--seed', 'x'))
    await make('netflix', 'c', ...small.netflix, '--seed', 'x')
    await make('netflix', 'd', ...small.netflix, '--seed', 'y')
    const [b, c, d] = ['b', 'c', 'd'].map((out) => readFileSync(join(folder, out, file)))
    expect(b!.equals(c!)).toBe(true)
    expect(b!.equals(d!)).toBe(false)
  })

  it('refuses sizes that cannot be and options of the other data set, without a trace', async () => {
    const { code, stderr } = await make('trivago', 'e', '--users', '10', '--interactions', '5')
    expect([code, stderr]).toEqual([1, expect.stringContaining('interactions must be a whole')])
    expect((await make('trivago', 'e', '--movies', '5')).stderr).toContain(
      "unknown option '--movies'",
    )
    expect(readdirSync(folder)).not.toContain('e')
  })

  it('says why it cannot write', async () => {
    writeFileSync(join(folder, 'file'), '')
    const { code, stderr } = await make('netflix', 'file/deeper', ...small.netflix)
    expect([code, stderr]).toEqual([1, expect.stringContaining('cannot write')])
    expect(stderr).toContain('(file-missing)')
  })
})
