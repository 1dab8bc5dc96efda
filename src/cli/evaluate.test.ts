import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { runRenHere } from '../../test/run-here.ts'
import { circleCsv, runRen } from '../../test/run-ren.ts'
import type { EvaluationReport } from './evaluate.ts'

describe('ren evaluate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ren-evaluate-'))
  const path = (name: string): string => join(folder, name)
  const events = path('events.csv')
  const model = path('model.safetensors')
  const everything = path('everything.safetensors')

  const train = (out: string, ...more: string[]) =>
    runRenHere(['train', '--events', events, '--model', 'gru4rec', '--out', out, ...more])
  const evaluate = (...args: string[]) => runRenHere(['evaluate', '--events', events, ...args])
  const report = async (...args: string[]): Promise<EvaluationReport> => {
    const { stdout, stderr } = await evaluate('--cutoff', '1', '--json', ...args)
    expect(stderr).toBe('')
    return JSON.parse(stdout) as EvaluationReport
  }

  beforeAll(async () => {
    writeFileSync(events, circleCsv())
    await train(model, '--epochs', '40', '--patience', '40', '--rate', '0.02')
    await train(everything, '--epochs', '1', '--split', 'none')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('compares the model with the baselines, with an interval for its lead over each', async () => {
    const { methods, ...rest } = await report('--model-file', model)
    expect(rest).toMatchObject({
      split: 'last',
      caution: null,
      items: 12,
      sequences: 60,
      targets: 60,
      dropped: { unseenItems: 0, unknownToModel: 0, withoutTarget: 0 },
      cutoff: 1,
      ties: 'conservative',
    })
    expect(methods.map(({ name }) => name)).toEqual([
      'gru4rec',
      'popularity',
      'item-kNN',
      'session-kNN',
    ])
    const [own, popularity] = methods
    expect(own!.recall).toBeGreaterThan(0.9)
    expect(own).not.toHaveProperty('lead')
    expect(popularity!.lead!.difference).toBeCloseTo(own!.recall - popularity!.recall, 10)
    expect(popularity!.lead!.lower).toBeGreaterThan(0)
    expect(popularity!.lead!.upper).toBeGreaterThanOrEqual(popularity!.lead!.difference)
  })

  it('reports the same metrics of the baselines with and without a model', async () => {
    const beside = (await report('--model-file', model, '--bootstrap', '0')).methods.slice(1)
    expect((await report()).methods).toEqual(beside)
  })

  it('refuses to test a model on its training data', async () => {
    const other = await evaluate('--model-file', model, '--split', 'time=0.2')
    expect(other.stderr).toMatch(/trained with --split last/)
    const all = await evaluate('--model-file', everything)
    expect(all.stderr).toMatch(/trained on all rows/)
    expect([other.code, all.code]).toEqual([1, 1])
  })

  it('matches items by name, drops unknown ones, and warns about another log', async () => {
    const other = path('other.csv')
    // Ten users end in an item that the model does not know; all items have other numbers.
    const strange = Array.from(
      { length: 10 },
      (_, user) => `user ${user},item 3,1,99999998\nuser ${user},novelty,1,99999999\n`,
    )
    const [header, ...rows] = circleCsv({ users: 30 }).trimEnd().split('\n')
    writeFileSync(other, `${header}\n${rows.toReversed().join('\n')}\n${strange.join('')}`)
    const args = ['--events', other, '--model-file', model, '--split', 'time=0.1']
    const found = await report(...args)
    expect(found.caution).toMatch(/another log \(events\.csv\)/)
    expect(found.dropped.unseenItems + found.dropped.unknownToModel).toBe(10)
    expect(found.items).toBe(12)
  })

  it('prints a table and explains how ties are ranked', async () => {
    const args = ['--events', events, '--model-file', model, '--bootstrap', '10']
    const { code, stdout } = await runRen(['evaluate', ...args])
    expect(code).toBe(0)
    expect(stdout).toMatch(/Recall@20 +MRR@20 +NDCG@20 +coverage +model's lead/)
    expect(stdout).toMatch(/session-kNN +\d\.\d{4}/)
    expect(stdout).toMatch(/ties are ranked conservatively.*≥/i)
  })

  it.each([
    ['nothing to evaluate', ['--no-baselines'], /--no-baselines requires --model-file/],
    ['a missing model file', ['--model-file', 'nowhere.safetensors'], /nowhere.*file-missing/],
    ['a file that is not a model', ['--model-file', events], /file-malformed/],
    ['periods for a log without periods', ['--split', 'period=2'], /periods/],
    ['nothing held out', ['--split', 'none'], /holds out no item/],
    ['a cutoff of 0', ['--cutoff', '0'], /--cutoff/],
  ])('refuses %s', async (_, args, message) => {
    const { code, stdout, stderr } = await evaluate(...args)
    expect(stderr).toMatch(message)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  })
})
