import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'

import { runCommand } from '../../test/run-command.ts'
import { circleCsv } from '../../test/run-ren.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'
import { createEngine } from '../kernels/index.ts'
import { loadModel } from '../models/index.ts'
import { openService } from '../service/index.ts'
import { readWhole } from '../service/state/restore.ts'
import type { VariantSettings } from '../service/settings.ts'
import { openSqliteStore } from '../storage/index.ts'
import { addEvaluate, type EvaluationReport } from './evaluate.ts'
import { addExport } from './export.ts'
import { addImport } from './import.ts'

const { folder, write } = temporaryFiles()
const at = (name: string): string => join(folder, name)
const exporting = (...args: string[]) => runCommand(addExport, ['export', ...args])
const method = { method: 'ren-g', settings: { dimension: 4, loss: 'softmax' } }

/** A store whose service has learned once from a log, with these variants. */
async function learnedStore(name: string, variants: readonly VariantSettings[]): Promise<string> {
  const store = at(name)
  const events = write(circleCsv(), 'circle.csv')
  await runCommand(addImport, ['import', '--store', store, '--events', events])
  const service = await openService({
    store,
    variants: variants,
    learning: { everyEvents: 1e9, everySeconds: 1e9 },
    onLogMessage: () => {},
  })
  await service.model.train()
  await service.close()
  return store
}

describe('ren export --model', () => {
  let store: string
  beforeAll(async () => {
    store = await learnedStore('one.db', [{ name: 'ren', ...method }])
  }, 60_000)

  it('writes the newest weights as a model file', async () => {
    const file = at('learned.safetensors')
    const { out } = await exporting('--store', store, '--model', file, '--json')
    expect(JSON.parse(out)).toMatchObject({ out: file, variant: 'ren', version: 1, items: 12 })
    const engine = await createEngine()
    const { model, itemNames } = loadModel(engine, readFileSync(file))
    expect(model.architecture.description).toMatchObject({ model: 'gru4rec', dimension: 4 })
    expect(itemNames.toSorted()).toEqual(
      Array.from({ length: 12 }, (_, i) => `item ${i}`).toSorted(),
    )
    const opened = await openSqliteStore(store)
    const [newest] = await opened.snapshots('weights', 'ren')
    const learned = loadModel(engine, await readWhole(opened, newest!))
    await opened.close()
    expect(itemNames).toEqual(learned.itemNames)
    for (const [i, { value }] of model.parameters.entries()) {
      expect(value.values).toEqual(learned.model.parameters[i]!.value.values)
    }
  })

  it('can be evaluated with ren evaluate', async () => {
    const file = at('evaluated.safetensors')
    expect((await exporting('--store', store, '--model', file)).out).toBe(
      `wrote version 1 of ren to ${file}: 12 items, trained up to position 481`,
    )
    const log = write(circleCsv(), 'again.csv')
    const args = ['evaluate', '--events', log, '--model-file', file, '--no-baselines', '--json']
    const { methods, items, targets } = JSON.parse(
      (await runCommand(addEvaluate, args)).out,
    ) as EvaluationReport
    expect({ items, targets, name: methods[0]!.name }).toEqual({
      items: 12,
      targets: 60,
      name: 'gru4rec',
    })
    expect(methods[0]!.recall).toBeGreaterThan(0)
  })

  it('selects one of several variants', async () => {
    const several = await learnedStore('two.db', [
      { name: 'one', ...method },
      { name: 'other', ...method },
    ])
    const file = at('variant.safetensors')
    const args = ['--store', several, '--model', file]
    await expect(exporting(...args)).rejects.toThrow(/several variants: name one of one, other/)
    const { out } = await exporting(...args, '--variant', 'other', '--json')
    expect(JSON.parse(out)).toMatchObject({ variant: 'other', items: 12 })
    await expect(exporting(...args, '--variant', 'third')).rejects.toThrow(
      /no variant third; its variants are one, other/,
    )
  }, 60_000)

  it.each([
    ['the log at the same time', ['--after', '3'], /--after/],
    ['the items at the same time', ['--items'], /--items/],
  ])('refuses %s', async (_, more, message) => {
    const args = ['--store', store, '--model', at('x.safetensors'), ...more]
    await expect(exporting(...args)).rejects.toThrow(message)
  })

  it('refuses a store without a trained model, and --variant without --model', async () => {
    const empty = at('empty.db')
    await (await openSqliteStore(empty)).close()
    await expect(exporting('--store', empty, '--model', at('x'))).rejects.toThrow(
      /empty\.db has no trained model yet/,
    )
    await expect(exporting('--store', store, '--variant', 'ren')).rejects.toThrow(/needs --model/)
  })
})
