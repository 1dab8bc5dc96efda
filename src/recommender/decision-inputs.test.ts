import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import { createSequenceModel, gru4rec, hrnn, sasrec } from '../models/index.ts'
import { historyOf, addInteraction, createUserMemory, newUser } from './user-state.ts'
import { createUserEmbeddings } from './decisions.ts'
import { trim } from './state.ts'

const itemCount = 20
const sizes = { dimension: 8, window: 4 }

test.each([gru4rec(sizes), hrnn({ ...sizes, controls: true, sessionGap: 50 }), sasrec(sizes)])(
  'θ of a user equals that of the whole history after any events ($description.model)',
  async (architecture) => {
    const engine = await createEngine()
    const model = createSequenceModel(engine, architecture, itemCount, createRandom(1))
    const event = fc.record({
      item: fc.nat(itemCount - 1),
      pause: fc.nat(100),
      requested: fc.boolean(),
    })
    const maxPerUser = fc.integer({ min: 1, max: 12 })
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), maxPerUser, (events, history) => {
        const embeddingOf = createUserEmbeddings(model)
        const memory = createUserMemory()
        const user = newUser(memory)
        const whole = new Float32Array(model.dimension)
        let time = 0
        for (const { item, pause, requested } of events) {
          time += pause
          addInteraction(user, item, 1, time, false)
          trim(user, { history }, memory)
          if (!requested) continue
          model.userEmbedding(historyOf(user), whole)
          expect(embeddingOf(user)).toEqual(whole)
        }
      }),
    )
    engine.close()
  },
)
