import { createRandom } from 'ren-recommender'
import { createEngine } from 'ren-recommender/kernels'
import { createSequenceModel, gru4rec, gru4recParity, saveModel } from 'ren-recommender/models'
import type { Architecture, SequenceModel } from 'ren-recommender/models'
import { createMemoryStore, type EventStore } from 'ren-recommender/storage'
import { describe, expect, it } from 'vitest'
import { closeServices, startService } from '../../../test/services.ts'
import { defaultBlend } from '../../relevance/index.ts'
import type { Service } from '../service.ts'
import type { ServiceSettings } from '../settings.ts'

closeServices()

const settings = { dimension: 4, loss: 'softmax' } as const
const variants = [{ name: 'ren', method: 'ren-g', settings }]
const inCatalog = ['a', 'b', 'c', 'd', 'e', 'f']

interface ModelFile {
  readonly model: SequenceModel
  readonly itemNames: readonly string[]
  readonly bytes: Uint8Array
}

async function modelFile(
  seed: number,
  itemNames: readonly string[] = inCatalog,
  architecture: Architecture = gru4rec({ dimension: 4 }),
): Promise<ModelFile> {
  const engine = await createEngine()
  const model = createSequenceModel(engine, architecture, itemNames.length, createRandom(seed))
  // Rows with the length of trained ones, so that no two scores are close.
  const random = createRandom(seed).fork('rows')
  for (const { value } of model.parameters)
    value.values.set(value.values.map(() => random.normal()))
  return { model, itemNames, bytes: saveModel({ model, itemNames }) }
}

/** The items in order of the model's scores for a history. */
function ranked({ model, itemNames }: ModelFile, history: readonly string[]): string[] {
  const theta = new Float32Array(model.dimension)
  const items = Int32Array.from(history, (name) => itemNames.indexOf(name))
  const ones = new Float32Array(items.length).fill(1)
  model.userEmbedding({ items, rewards: ones, times: new Float64Array(items.length) }, theta)
  const scores = itemNames.map((_, item) => {
    const row = model.itemEmbeddings.values.subarray(item * 4, (item + 1) * 4)
    return theta.reduce((sum, value, i) => sum + value * row[i]!, model.itemBias?.values[item] ?? 0)
  })
  return itemNames.toSorted((a, b) => scores[itemNames.indexOf(b)]! - scores[itemNames.indexOf(a)]!)
}

async function served(service: Service, user: string): Promise<string[]> {
  const { items } = await service.recommend({
    user,
    count: 6,
    exploration: { weight: 0 },
    excludeSeen: false,
    record: false,
  })
  return items.map(({ item }) => item)
}

/** A store in which ann has a history. */
async function storeWithHistory(): Promise<EventStore> {
  const store = createMemoryStore()
  const { service } = await startService({ store })
  await service.record([
    { user: 'ann', item: 'b', time: 1_000_000 },
    { user: 'ann', item: 'e', time: 1_000_001 },
  ])
  await service.close()
  return store
}

const start = (more: ServiceSettings) => startService({ variants, relevance: 'model', ...more })

describe('a service with a model file', () => {
  it.each([
    ['gru4rec', 'ren-g', gru4rec({ dimension: 4 })],
    ['item biases', 'gru4rec-parity+ren', gru4recParity({ dimension: 4 })],
  ])('serves the items that the model ranks first: %s', async (_, method, architecture) => {
    const file = await modelFile(3, inCatalog.toReversed(), architecture)
    const store = await storeWithHistory()
    const own = [{ name: 'ren', method, settings }]
    const { service } = await start({ store, variants: own, modelFile: file.bytes })
    expect(await served(service, 'ann')).toEqual(ranked(file, ['b', 'e']))
    expect(service.model.current()).toMatchObject([{ origin: 'imported', position: 3, loss: null }])
  })

  it('imports a file once: later learning survives a restart', async () => {
    const [first, second] = [await modelFile(3), await modelFile(4)]
    const store = await storeWithHistory()
    const learning = { enabled: true, everyEvents: 1e9, everySeconds: 1e9 }
    const open = (file: ModelFile) => start({ store, learning, modelFile: file.bytes })
    const { service } = await open(first)
    expect(service.model.current()).toMatchObject([{ version: 1, origin: 'imported' }])
    await service.record([{ user: 'bob', item: 'a' }])
    expect(await service.model.train()).toMatchObject([{ outcome: 'trained', version: 2 }])
    const learned = await served(service, 'bob')
    await service.close()

    const again = await open(first)
    expect(again.service.model.current()).toMatchObject([{ version: 2, origin: 'fine-tuned' }])
    expect(await served(again.service, 'bob')).toEqual(learned)
    await again.service.close()

    const { service: other } = await open(second)
    expect(other.model.current()).toMatchObject([{ version: 3, origin: 'imported' }])
    expect(await served(other, 'ann')).toEqual(ranked(second, ['b', 'e']))
    await other.close()

    const { service: back } = await open(first)
    expect(back.model.current()).toMatchObject([{ version: 4, origin: 'imported' }])
  }, 60_000)

  it('learns from events after the import, and not again from the log', async () => {
    const { bytes } = await modelFile(3)
    const store = await storeWithHistory()
    const learning = { enabled: true, everyEvents: 1e9, everySeconds: 1e9 }
    const { service } = await start({ store, learning, modelFile: bytes })
    expect(await service.model.train()).toMatchObject([{ outcome: 'nothing-new' }])
    await service.record([{ user: 'bob', item: 'a' }])
    expect(await service.model.train()).toMatchObject([{ outcome: 'trained' }])
  }, 60_000)

  it('matches items by name: it counts unknown ones, and starts others as new items', async () => {
    const file = await modelFile(3, ['x', 'c', 'a', 'y'])
    const store = await storeWithHistory()
    const before = await start({ store })
    const others = (await served(before.service, 'eve')).filter((item) => !'ac'.includes(item))
    await before.service.close()
    const { service, logMessages } = await start({ store, modelFile: file.bytes })
    const messages = logMessages.map(({ level, message }) => `${level}: ${message}`)
    expect(messages).toContainEqual(expect.stringMatching(/^info: ren serves .*: 2 items match$/))
    expect(messages).toContainEqual(expect.stringMatching(/^warning: 2 of the 4 items .* not in/))
    const slate = await served(service, 'eve')
    expect(slate.toSorted()).toEqual(inCatalog)
    expect(others).toHaveLength(4)
    const expected = ranked(file, []).filter((item) => 'ac'.includes(item))
    expect(slate.filter((item) => 'ac'.includes(item))).toEqual(expected)
  })

  it('warns if the file contains less than half of the items that users choose', async () => {
    const store = await storeWithHistory()
    const other = await modelFile(3, ['a', 'c', 'f', 'x'])
    const half = await modelFile(4, ['b', 'x'])
    const problem = /^ren: the model file contains 0 of the 2 items that have interactions/
    // At the start that imports the file, and at the next one.
    for (let starts = 0; starts < 2; starts++) {
      const { service, logMessages } = await start({ store, modelFile: other.bytes })
      const message = expect.stringMatching(problem)
      expect(service.health().problems).toEqual([message])
      expect(logMessages).toContainEqual({ level: 'warning', message })
      await service.close()
    }
    const { service } = await start({ store, modelFile: half.bytes })
    expect(service.health().problems).toEqual([])
  })

  it('imports it for every variant', async () => {
    const file = await modelFile(3)
    const two = ['one', 'other'].map((name) => ({ name, method: 'ren-g', settings }))
    const { service } = await start({
      store: await storeWithHistory(),
      variants: two,
      modelFile: file.bytes,
    })
    expect(service.model.current().map(({ origin }) => origin)).toEqual(['imported', 'imported'])
  })

  it('fits the blend on the latest interactions of the users', async () => {
    const { bytes } = await modelFile(3)
    const store = await storeWithHistory()
    const few = await start({ store, relevance: 'blend', modelFile: bytes })
    expect(few.service.model.current()).toMatchObject([{ quality: null }])
    const circle = Array.from({ length: 600 }, (_, i) => ({
      user: `user ${i % 150}`,
      item: inCatalog[((i % 150) + Math.floor(i / 150)) % 6]!,
    }))
    await few.service.record(circle)
    await few.service.close()
    const other = await modelFile(4)
    const many = await start({ store, relevance: 'blend', modelFile: other.bytes })
    const [version] = many.service.model.current()
    // Half of the users are held out, and half of those judge the blend.
    expect(version!.quality!.model.examples).toBeGreaterThan(30)
    expect(version!.quality!.served.hr10).toBe(1)
    const [group] = many.service.quality()
    expect(group!.blend!.weights.memory).not.toBe(defaultBlend.weights.memory)
    // The memory knows the order of the circle; a random model does not.
    expect(version!.quality!.served.mrr).toBeGreaterThan(0.9)
    expect(version!.quality!.model.mrr).toBeLessThan(0.8)
  }, 60_000)

  it('refuses an unusable file', async () => {
    const store = await storeWithHistory()
    const wide = await modelFile(1, inCatalog, gru4rec({ dimension: 8 }))
    await expect(start({ store, modelFile: wide.bytes })).rejects.toThrow(
      /the model file has a model with dimension 8, variant ren has dimension 4/,
    )
    const strange = await modelFile(1, ['x', 'y'])
    await expect(start({ store, modelFile: strange.bytes })).rejects.toThrow(
      /none of the 2 items of the model file is in the catalog/,
    )
    const cut = (await modelFile(1)).bytes.slice(0, -8)
    await expect(start({ store, modelFile: cut })).rejects.toMatchObject({ code: 'file-malformed' })
    await expect(
      start({ store, modelFile: 'model.safetensors' as unknown as Uint8Array }),
    ).rejects.toThrow(/modelFile must be the bytes of a file/)
  })
})
