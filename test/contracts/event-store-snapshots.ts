// The contract of event stores for snapshots.

import fc from 'fast-check'
import type { EventStore, NewSnapshot, SnapshotKind } from 'ren-recommender/storage'
import { expect, it } from 'vitest'
import { fresh, withCode } from './event-store-cases.ts'

export function describeSnapshots(store: () => EventStore): void {
  const snapshot = async (changes: Partial<NewSnapshot> = {}): Promise<NewSnapshot> => ({
    kind: 'state',
    scope: fresh(),
    position: await store().head(),
    time: 12.5,
    about: { version: 3 },
    ...changes,
  })
  const partsOf = (id: number): Promise<Uint8Array[]> => Array.fromAsync(store().readSnapshot(id))
  const idsOf = async (kind: SnapshotKind, scope: string) =>
    (await store().snapshots(kind, scope)).map(({ id }) => id)
  const eraseSomebody = () => store().eraseUser({ user: fresh(), time: 0, variantOf: () => 'x' })

  it('are read as they were written, part by part', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 6 }),
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 })),
        async (parts, about) => {
          const requested = await snapshot({ about })
          const info = await store().writeSnapshot(requested, parts)
          const bytes = parts.reduce((sum, { length }) => sum + length, 0)
          const expected = { ...requested, id: info.id, bytes, readable: true }
          expect(info).toEqual(JSON.parse(JSON.stringify(expected)))
          expect(await store().snapshots('state', requested.scope)).toEqual([info])
          expect(await partsOf(info.id)).toEqual(parts.map((part) => Uint8Array.from(part)))
        },
      ),
      { numRuns: 10 },
    ))

  it('are found by the scopes that have snapshots of a kind', async () => {
    const [one, other] = [await snapshot({ kind: 'weights' }), await snapshot()]
    await store().writeSnapshot(one, [])
    await store().writeSnapshot(one, [])
    await store().writeSnapshot(other, [])
    const [ofWeights, ofState] = [
      await store().snapshotScopes('weights'),
      await store().snapshotScopes('state'),
    ]
    expect(ofWeights.filter((scope) => scope === one.scope)).toEqual([one.scope])
    expect(ofWeights).not.toContain(other.scope)
    expect(ofState).toContain(other.scope)
    expect(ofWeights).toEqual(ofWeights.toSorted())
  })

  it('copy the bytes, also from shared memory', async () => {
    const part = Buffer.from('some bytes')
    const { id } = await store().writeSnapshot(await snapshot(), [part.subarray(5), part])
    part.fill(0)
    const read = (await partsOf(id)).map((bytes) => Buffer.from(bytes).toString())
    expect(read).toEqual(['bytes', 'some bytes'])
  })

  it('may be large, and do not block other calls while they are written', async () => {
    const [first, second] = [1, 2].map((part) => Buffer.alloc(2_500_000, `of part ${part}`))
    const work = { isDone: false }
    async function* parts(): AsyncGenerator<Uint8Array> {
      yield first!
      yield second!
    }
    const writing = store()
      .writeSnapshot(await snapshot({ kind: 'weights' }), parts())
      .finally(() => (work.isDone = true))
    let beside = 0
    while (!work.isDone) {
      await store().append([{ event: { kind: 'user-erased', time: 0 } }])
      beside += 1
    }
    const { id } = await writing
    expect(beside).toBeGreaterThan(0)
    const read = await partsOf(id)
    expect(read.map((part) => Buffer.compare(part, read.indexOf(part) ? second! : first!))).toEqual(
      [0, 0],
    )
  })

  it('are listed newest first, by kind and scope', async () => {
    const scope = fresh()
    const ids: number[] = []
    for (const position of [5, 3, 9]) {
      const kind = 'weights' as const
      ids.unshift((await store().writeSnapshot(await snapshot({ kind, scope, position }), [])).id)
    }
    expect(await idsOf('weights', scope)).toEqual(ids)
    expect(await idsOf('state', scope)).toEqual([])
    expect(await idsOf('weights', fresh())).toEqual([])
  })

  it('lose their bytes when trimmed; the metadata of weights stays', async () => {
    const scope = fresh()
    for (const kind of ['weights', 'state', 'training', 'quality'] as const) {
      const ids: number[] = []
      for (const byte of [1, 2, 3]) {
        const requested = await snapshot({ kind, scope, about: { byte } })
        ids.unshift((await store().writeSnapshot(requested, [Uint8Array.of(byte)])).id)
      }
      await store().trimSnapshots(kind, scope, 1)
      const left = await store().snapshots(kind, scope)
      expect(left.map(({ id }) => id)).toEqual(kind === 'weights' ? ids : ids.slice(0, 1))
      expect(left.map(({ readable }) => readable)).toEqual(left.map((_, at) => at === 0))
      expect(left.map(({ about }) => about['byte'])).toEqual([3, 2, 1].slice(0, left.length))
      expect(await partsOf(ids[0]!)).toEqual([Uint8Array.of(3)])
      await expect(partsOf(ids[1]!)).rejects.toThrow(withCode('invalid-argument'))
    }
  })

  it('stay listed without their bytes, up to a limit', async () => {
    const scope = fresh()
    const write = async () =>
      (await store().writeSnapshot(await snapshot({ kind: 'weights', scope }), [])).id
    const ids = [await write(), await write(), await write(), await write(), await write()]
    const [first, , , fourth, fifth] = ids
    await store().trimSnapshots('weights', scope, [first!, fifth!], 1)
    const left = await store().snapshots('weights', scope)
    expect(left.map(({ id, readable }) => [id, readable])).toEqual([
      [fifth, true],
      [fourth, false],
      [first, true],
    ])
    await store().trimSnapshots('weights', scope, [first!, fifth!], 0)
    expect(await idsOf('weights', scope)).toEqual([fifth, first])
  })

  it('are retained by id if ids are given', async () => {
    const scope = fresh()
    for (const kind of ['weights', 'state'] as const) {
      const ids: number[] = []
      for (const byte of [1, 2, 3, 4]) {
        const requested = await snapshot({ kind, scope })
        ids.push((await store().writeSnapshot(requested, [Uint8Array.of(byte)])).id)
      }
      await store().trimSnapshots(kind, scope, [ids[0]!, ids[2]!])
      const left = await store().snapshots(kind, scope)
      const readable = left.filter((one) => one.readable)
      expect(readable.map(({ id }) => id)).toEqual([ids[2], ids[0]])
      expect(await partsOf(ids[0]!)).toEqual([Uint8Array.of(1)])
    }
  })

  it('stay by their ids where these are given', async () => {
    const scope = fresh()
    const ids: number[] = []
    for (const byte of [1, 2, 3]) {
      ids.push((await store().writeSnapshot(await snapshot({ scope }), [Uint8Array.of(byte)])).id)
    }
    await store().trimSnapshots('state', scope, [ids[1]!])
    expect(await idsOf('state', scope)).toEqual([ids[1]])
    expect(await partsOf(ids[1]!)).toEqual([Uint8Array.of(2)])
  })

  it('are invisible until all parts are written, and after a part failed', async () => {
    const requested = await snapshot()
    async function* parts(): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(1)
      expect(await idsOf('state', requested.scope)).toEqual([])
      throw new Error('no more')
    }
    await expect(store().writeSnapshot(requested, parts())).rejects.toThrow('no more')
    expect(await idsOf('state', requested.scope)).toEqual([])
  })

  it('of states are deleted when a user is erased; those of weights stay', async () => {
    const [state, weights] = [await snapshot(), await snapshot({ kind: 'weights' })]
    await store().writeSnapshot(state, [Uint8Array.of(1)])
    const { id } = await store().writeSnapshot(weights, [Uint8Array.of(2)])
    await eraseSomebody()
    expect(await idsOf('state', state.scope)).toEqual([])
    expect(await idsOf('weights', weights.scope)).toEqual([id])
    expect(await partsOf(id)).toEqual([Uint8Array.of(2)])
  })

  it('of a state from before an erasure are refused', async () => {
    const requested = await snapshot()
    const { position } = await eraseSomebody()
    const parts = [Uint8Array.of(1)]
    const refused = withCode('snapshot-outdated')
    await expect(store().writeSnapshot(requested, parts)).rejects.toThrow(refused)
    async function* interrupted(): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(1)
      await eraseSomebody()
      yield Uint8Array.of(2)
    }
    const now = { ...requested, position }
    await expect(store().writeSnapshot(now, interrupted())).rejects.toThrow(refused)
    expect(await idsOf('state', requested.scope)).toEqual([])
    const later = { ...requested, position: await store().head() }
    expect((await store().writeSnapshot(later, parts)).readable).toBe(true)
  })

  it('that were never written are refused', async () => {
    await expect(partsOf(1e9)).rejects.toThrow(withCode('invalid-argument'))
  })
}
