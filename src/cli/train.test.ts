import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { runRenHere } from '../../test/run-here.ts'
import { circleCsv, runRen, startScript } from '../../test/run-ren.ts'
import { createEngine } from '../kernels/index.ts'
import { defaultRecipe } from '../models/index.ts'
import { readModel } from './model-file.ts'
import type { TrainingReport } from './train.ts'

describe('ren train', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ren-train-'))
  const path = (name: string): string => join(folder, name)
  const events = path('events.csv')
  beforeAll(() => writeFileSync(events, circleCsv()))
  afterAll(() => rmSync(folder, { recursive: true }))

  const argsFor = (out: string, ...more: string[]): string[] =>
    ['train', '--events', events, '--model', 'gru4rec', '--out', path(out)].concat(more)
  const train = (out: string, ...more: string[]) => runRenHere(argsFor(out, ...more))
  const readBack = async (out: string) => readModel(await createEngine(), path(out))

  it('writes a model with its items and what was held out, and prints one JSON document', async () => {
    const { code, stdout } = await runRen(argsFor('a.safetensors', '--epochs', '2', '--json'))
    expect(code).toBe(0)
    const report = JSON.parse(stdout) as TrainingReport
    expect(report).toMatchObject({
      events: { rows: 480, users: 60, skipped: 0 },
      split: 'last',
      trainingRows: 360,
      items: 12,
      model: { model: 'gru4rec', dimension: 32 },
      recipe: { loss: 'softmax', optimizer: 'adam', epochs: 2 },
      validation: { rule: 'last', targets: 60, cutoff: 2 },
      interrupted: false,
    })
    expect(report.steps).toBeGreaterThan(0)
    expect(report.loss).toBeGreaterThan(0)
    const { itemNames, training } = await readBack('a.safetensors')
    expect(itemNames.toSorted()).toEqual(
      Array.from({ length: 12 }, (_, i) => `item ${i}`).toSorted(),
    )
    expect(training).toMatchObject({ events: 'events.csv', split: 'last', validation: 'last' })
  })

  it('uses the default recipe without --model', async () => {
    const args = ['train', '--events', events, '--out', path('default'), '--json']
    const { code, stdout } = await runRenHere(args)
    expect(code).toBe(0)
    const report = JSON.parse(stdout) as TrainingReport
    const { architecture } = defaultRecipe(12)
    expect(report).toMatchObject({ model: architecture, validation: { cutoff: 2, targets: 60 } })
    expect(report.validation.recall).toBeGreaterThan(0.9)
    expect((await readBack('default')).model.architecture.description).toEqual(architecture)
  })

  it('gives the same bytes for the same seed with any number of threads', async () => {
    await train('b.safetensors', '--epochs', '2', '--seed', 'b')
    await train('c.safetensors', '--epochs', '2', '--seed', 'b', '--threads', '2')
    await train('d.safetensors', '--epochs', '2', '--seed', 'd')
    const [b, c, d] = ['b', 'c', 'd'].map((name) => readFileSync(path(`${name}.safetensors`)))
    expect(b!.equals(c!)).toBe(true)
    expect(b!.equals(d!)).toBe(false)
  })

  it('trains on all rows if nothing is held out', async () => {
    const rules = ['--split', 'none', '--validation', 'none', '--epochs', '1', '--json']
    const report = JSON.parse((await train('n.safetensors', ...rules)).stdout) as TrainingReport
    expect(report).toMatchObject({ trainingRows: 480, validation: { recall: null } })
  })

  it('saves the current weights on an interruption and exits with 130', async () => {
    const rest = ['--model', 'gru4rec', '--epochs', '1000000', '--patience', '1000000', '--json']
    const args = ['train', '--events', events, '--out', path('i.safetensors'), ...rest]
    const { code, stdout } = await runRen(args, 'epoch 3')
    expect(code).toBe(130)
    const report = JSON.parse(stdout) as TrainingReport
    expect(report).toMatchObject({ interrupted: true, out: path('i.safetensors') })
    expect(report.epochs).toBeLessThan(1_000_000)
    expect((await readBack('i.safetensors')).model.itemCount).toBe(12)
  })

  it('saves the current weights on SIGTERM too', async () => {
    const out = path('t.safetensors')
    const rest = ['--model', 'gru4rec', '--epochs', '1000000', '--patience', '1000000', '--json']
    const { child, ended } = startScript('src/cli/main.ts', [
      'train',
      '--events',
      events,
      '--out',
      out,
      ...rest,
    ])
    const trains = (): void => void child.stderr.once('data', stopLater)
    const stopLater = (text: string): void =>
      text.includes('epoch 3') ? void child.kill('SIGTERM') : trains()
    trains()
    expect((await ended).code).toBe(130)
    expect((await readBack('t.safetensors')).model.itemCount).toBe(12)
  })

  describe('given bad input', () => {
    it.each([
      [
        'a missing log',
        ['--events', 'nowhere.csv'],
        /^ren: there is no file nowhere\.csv \(dataset-/,
      ],
      ['a folder as a log', ['--events', '.', '--format', 'csv'], /cannot read \.: it is a folder/],
      [
        'a missing dataset',
        ['--events', 'nowhere', '--format', 'diginetica'],
        /no file nowhere.diginetica.diginetica_periods\.tsv; get Diginetica/,
      ],
      [
        'periods for a log without periods',
        ['--validation', 'period=1'],
        /period=1 needs a log with periods/,
      ],
      ['a momentum of 1', ['--optimizer', 'adagrad', '--momentum', '1'], /below 1/],
      [
        'a rate at which the weights diverge',
        ['--rate', '1e30', '--batch', '100'],
        /lower --rate.*non-finite-result/s,
      ],
      ['a missing log of an unknown format', ['--events', 'log.txt'], /there is no file log\.txt/],
      ['a log of an unknown format', ['--events', 'README.md'], /README\.md.*first row.*--format/s],
      ['an unknown model', ['--model', 'oracle'], /oracle.*gru4rec/s],
      ['an unknown option of the model', ['--set', 'depth=3'], /no setting depth.*dimension/s],
      ['an unknown rule', ['--split', 'half'], /half.*period=N/s],
      [
        'a path that cannot be written',
        ['--out', '/nowhere/model.safetensors'],
        /nowhere.*file-missing/s,
      ],
    ])('refuses %s', async (_, args, message) => {
      const { code, stdout, stderr } = await train('x.safetensors', ...args)
      expect(stderr).toMatch(message)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    })

    it('exits with 1 in its own process too', async () => {
      const args = argsFor('x.safetensors', '--events', 'nowhere.csv')
      expect(await runRen(args)).toEqual(await runRenHere(args))
    })

    it('refuses a log with one item', async () => {
      const one = path('one.csv')
      writeFileSync(one, `user,item,time\n${'a,x,1\n'.repeat(5)}`)
      const { code, stderr } = await train('x.safetensors', '--events', one)
      expect(stderr).toMatch(/at least 2 items.*--split last leaves 1 item to/)
      expect(code).toBe(1)
    })

    it('names the line of a malformed row, or counts it', async () => {
      const bad = path('bad.csv')
      const lines = circleCsv().split('\n')
      writeFileSync(
        bad,
        [...lines.slice(0, 3), 'user 1,item 1,one,7', ...lines.slice(3)].join('\n'),
      )
      const stopped = await train('x.safetensors', '--events', bad)
      expect(stopped.stderr).toMatch(/bad\.csv, line 4, column 3 \(reward\).*dataset-malformed/)
      expect(stopped.code).toBe(1)
      const counted = await train('x.safetensors', '--events', bad, '--skip-bad-rows', '--json')
      expect((JSON.parse(counted.stdout) as TrainingReport).events.skipped).toBe(1)
    })
  })
})
