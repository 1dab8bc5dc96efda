import * as fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { anyLog, firstItems, vectorLength } from '../../test/random-events.ts'
import { contentsOf } from '../../test/state-contents.ts'
import { createRandom } from '../core/random.ts'
import { policies } from '../exploration/index.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import { createSequenceModel, gru4rec, readSafetensors } from '../models/index.ts'
import { writeSafetensors, type TensorToWrite } from '../models/files/safetensors.ts'
import { createRecommender, restoreRecommender } from './recommender.ts'

let engine: Engine
beforeAll(async () => {
  engine = await createEngine()
})

/** The tensors that `ren-state-1` lacks. */
const added =
  /^(state\.day|users\.(droppedItems|possibleRepeats|repeats|keptSlates\.seenAllowed|history\.fromSlate))/

/** Converts a part of a state to `ren-state-1`; null if that format lacks it. */
function asFormat1(part: Uint8Array): Uint8Array | null {
  const file = readSafetensors(part)
  const names = [...file.tensors.keys()].filter((name) => !added.test(name))
  if (names.length === 0) return null
  const tensors = names.map((name): [string, TensorToWrite] => [
    name,
    { shape: file.shape(name), data: file.values(name) },
  ])
  const texts = Object.entries(file.metadata).map(([key, text]) => {
    return [key, text.replace('ren-state-2', 'ren-state-1')] as const
  })
  return writeSafetensors({ tensors: new Map(tensors), metadata: Object.fromEntries(texts) })
}

/** Removes the data that `ren-state-1` lacks. */
function withoutAdded(contents: ReturnType<typeof contentsOf>) {
  const { repeats: _, days: __, users, ...rest } = contents
  return {
    ...rest,
    users: users.map(([name, user]) => {
      const { droppedItems: _1, possibleRepeats: _2, repeats: _3, ...known } = user
      const recentSlates = { ...user.recentSlates, seenAllowed: [] }
      const history = { ...user.history, fromSlate: [] }
      return [name, { ...known, recentSlates, history }]
    }),
  }
}

it('reads a state of the older format ren-state-1', () => {
  const settings = { policy: policies.ren(engine), maxPerUser: { history: 4, impressions: 9 } }
  fc.assert(
    fc.property(anyLog, (log) => {
      const architecture = gru4rec({ dimension: vectorLength, window: 5, decoderScale: 1 })
      const model = createSequenceModel(engine, architecture, firstItems.length, createRandom(1))
      const live = createRecommender({ ...settings, model, itemNames: firstItems, seed: 7 })
      for (const event of log) live.observe(event)
      const state = [...live.saveState({ usersPerPart: 2 })].flatMap(
        (part) => asFormat1(part) ?? [],
      )
      const restored = restoreRecommender(engine, { weights: live.saveWeights(), state }, settings)
      expect(withoutAdded(contentsOf(restored.state))).toEqual(withoutAdded(contentsOf(live.state)))
      expect(restored.state.repeats).toEqual({ possibleRepeats: 0, repeats: 0 })
      expect([...restored.state.days]).toEqual([])
      const more = log.filter(({ kind }) => kind === 'interaction' || kind === 'recommendation')
      for (const event of more) restored.observe(event)
    }),
    { numRuns: 30 },
  )
})
