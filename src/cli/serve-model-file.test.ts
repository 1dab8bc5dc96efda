// One model file for training, serving and judging.

import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'

import { runCommand } from '../../test/run-command.ts'
import { circleCsv } from '../../test/run-ren.ts'
import { send, startServing, stopServing } from '../../test/serving.ts'
import { temporaryFiles } from '../../test/temporary-files.ts'
import { byUser } from '../core/log.ts'
import { createEngine } from '../kernels/index.ts'
import { createArchitecture, defaultRecipe } from '../models/index.ts'
import { defaults } from '../service/settings.ts'
import { addEvaluate, type EvaluationReport } from './evaluate.ts'
import { addExport } from './export.ts'
import { readEvents } from './log-options.ts'
import { readModel } from './model-file.ts'
import { withModelOf } from './serve-settings.ts'
import { addServe } from './serve.ts'
import { addTrain } from './train.ts'

const { folder, write } = temporaryFiles()
const at = (name: string): string => join(folder, name)
const events = write(circleCsv(), 'circle.csv')
const trained = at('trained.safetensors')
const store = at('served.db')

/** The best three items for each user's whole history, by the model itself. */
async function bestOfModel(path: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const { model, itemNames } = await readModel(await createEngine(), path)
  const { log } = await readEvents({ events, timeUnit: 'milliseconds' })
  const { dimension } = model
  const places = new Map(itemNames.map((name, row) => [name, row]))
  const theta = new Float32Array(dimension)
  return new Map(
    byUser(log).map((sequence) => {
      const items = sequence.items.map((item) => places.get(log.itemNames[item]!)!)
      model.userEmbedding({ ...sequence, items }, theta)
      const scoreOf = (row: number): number => {
        const values = model.itemEmbeddings.values.subarray(row * dimension, (row + 1) * dimension)
        return theta.reduce((sum, value, i) => sum + value * values[i]!, 0)
      }
      const rows = [...itemNames.keys()].toSorted((a, b) => scoreOf(b) - scoreOf(a))
      return [log.userNames[sequence.user]!, rows.slice(0, 3).map((row) => itemNames[row]!)]
    }),
  )
}

async function figuresOf(path: string): Promise<EvaluationReport['methods']> {
  const args = ['evaluate', '--events', events, '--model-file', path, '--cutoff', '3', '--json']
  const { out } = await runCommand(addEvaluate, [...args, '--no-baselines'])
  return (JSON.parse(out) as EvaluationReport).methods
}

describe('a model file that ren train wrote', () => {
  beforeAll(async () => {
    await runCommand(addTrain, ['train', '--events', events, '--out', trained])
  }, 120_000)

  it('is served over HTTP, exported again, and has the same metrics', async () => {
    const args = ['--store', store, '--events', events, '--model-file', trained]
    const alone = ['--relevance', 'model', '--no-learning']
    const serving = await startServing([...args, ...alone])
    const best = await bestOfModel(trained)
    for (const user of ['user 0', 'user 7', 'user 30', 'user 59']) {
      const slate = await send<{ items: { item: string }[] }>(
        serving.address,
        '/v1/recommendations',
        { user, count: 3, exploration: { weight: 0 }, excludeSeen: false, record: false },
      )
      expect(slate.items.map(({ item }) => item)).toEqual(best.get(user))
    }
    const { versions } = await send<{ versions: object[] }>(serving.address, '/v1/model')
    expect(versions[0]).toMatchObject({ origin: 'imported' })
    expect((await stopServing(serving)).code).toBe(0)

    const exported = at('exported.safetensors')
    await runCommand(addExport, ['export', '--store', store, '--model', exported])
    const figures = await figuresOf(trained)
    expect(figures[0]!.recall).toBeGreaterThan(0.5)
    expect(await figuresOf(exported)).toEqual(figures)
  }, 120_000)

  it('is refused with a method of another model or contradicting settings', async () => {
    const serving = (...more: string[]) =>
      runCommand(addServe, ['serve', '--store', at('none.db'), '--model-file', ...more])
    await expect(serving(trained, '--method', 'sasrec+ren')).rejects.toThrow(
      /contains gru4rec, but the method sasrec\+ren uses sasrec; use gru4rec\+ren/,
    )
    await expect(serving(trained, '--set', 'dimension=8')).rejects.toThrow(
      /the model file has dimension 64, which contradicts --set dimension=8/,
    )
    await expect(serving(at('none'))).rejects.toThrow(/there is no file .*none/)
    await expect(serving(events)).rejects.toMatchObject({ code: 'file-malformed' })
  }, 60_000)
})

describe('the method that serves a model file', () => {
  const [usual] = defaults.variants
  const sasrec = createArchitecture({ model: 'sasrec', dimension: 8 })

  it('is the default method for a model of the default recipe', () => {
    const file = createArchitecture(defaultRecipe(100).architecture)
    const { method, settings } = withModelOf(file, usual, {})
    expect(method).toBe(usual.method)
    expect(settings).toEqual({ ...usual.settings, loss: 'ranking' })
  })

  it('has the model of the file, and the default policy', () => {
    const { model: _, ...options } = sasrec.description
    expect(withModelOf(sasrec, usual, {})).toMatchObject({
      name: usual.name,
      method: 'sasrec+ren',
      settings: { loss: 'ranking', ...options },
    })
  })

  it('has the policy and the settings that were chosen', () => {
    const set = { explorationWeight: 0.3, loss: 'squared-error', dimension: 8 }
    const { method, settings } = withModelOf(sasrec, usual, { method: 'sasrec+lin-ucb', set })
    expect({ method, settings }).toMatchObject({ method: 'sasrec+lin-ucb', settings: set })
  })

  it('retains default settings that are not options of the model', () => {
    const own = { ...usual, settings: { dimension: 32, decoderScale: 1, rate: 0.001 } }
    const { settings } = withModelOf(sasrec, own, {})
    expect(settings).toMatchObject({ dimension: 8, rate: 0.001 })
    expect(settings).not.toHaveProperty('decoderScale')
  })
})
