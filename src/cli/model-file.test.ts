import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import { createSequenceModel, mlp, saveModel } from '../models/index.ts'
import { requireWritable } from './files.ts'
import { digestOf, readModel, writeModel } from './model-file.ts'

const record = { events: 'a.csv', digest: 'd', split: 'last', validation: 'none', seed: '1' }

describe('a model file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ren-model-file-'))
  const path = (name: string): string => join(folder, name)
  afterAll(() => rmSync(folder, { recursive: true }))

  const create = async () => {
    const engine = await createEngine()
    const model = createSequenceModel(engine, mlp({ dimension: 4 }), 3, createRandom(1))
    return { engine, named: { model, itemNames: ['x', 'y', 'z'] } }
  }

  it('restores the weights, the names and the record, and leaves no other file', async () => {
    const { engine, named } = await create()
    await writeModel(path('a'), named, record)
    const { model, itemNames, training } = await readModel(engine, path('a'))
    expect({ itemNames, training }).toEqual({ itemNames: named.itemNames, training: record })
    expect(model.itemEmbeddings.values).toEqual(named.model.itemEmbeddings.values)
    expect(readdirSync(folder)).toEqual(['a'])
  })

  it('can have no record', async () => {
    const { engine, named } = await create()
    writeFileSync(path('b'), saveModel(named))
    expect((await readModel(engine, path('b'))).training).toBeNull()
  })

  it.each([{}, { ...record, split: 'half' }, null])(
    'is refused with the record %j',
    async (bad) => {
      const { engine, named } = await create()
      await writeModel(path('a'), named, bad as typeof record)
      await expect(readModel(engine, path('a'))).rejects.toThrow(/what was held out/)
    },
  )

  it('needs a path that can be written', async () => {
    await expect(requireWritable(path('nowhere/a'))).rejects.toThrow(
      /cannot write.*folder does not exist/,
    )
    await expect(requireWritable(folder)).rejects.toThrow(/is a folder/)
    await expect(requireWritable(path('new'))).resolves.toBeUndefined()
  })
})

describe('a failed write of a model file', () => {
  it('reports the reason and leaves no file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ren-model-file-'))
    const engine = await createEngine()
    const model = createSequenceModel(engine, mlp({ dimension: 4 }), 2, createRandom(1))
    const write = (path: string) => writeModel(path, { model, itemNames: ['x', 'y'] }, record)
    mkdirSync(join(folder, 'taken', 'inside'), { recursive: true })
    const refused = { name: 'RenError', code: 'file-missing' }
    await expect(write(join(folder, 'nowhere', 'a'))).rejects.toMatchObject(refused)
    await expect(write(join(folder, 'taken'))).rejects.toMatchObject(refused)
    expect(readdirSync(folder)).toEqual(['taken'])
    rmSync(folder, { recursive: true })
  })
})

describe('the digest of a log', () => {
  const log = {
    users: Int32Array.of(0, 0),
    items: Int32Array.of(1, 2),
    rewards: Float32Array.of(1, 1),
    times: Float64Array.of(1, 2),
    userNames: ['one'],
    itemNames: ['a', 'b', 'c'],
  }

  it('differs between logs', () => {
    expect(digestOf({ ...log })).toBe(digestOf(log))
    expect(digestOf({ ...log, items: Int32Array.of(2, 1) })).not.toBe(digestOf(log))
    expect(digestOf({ ...log, times: Float64Array.of(1, 3) })).not.toBe(digestOf(log))
  })
})
