// Trains GRU4Rec on a simulated log and recommends five films to one of its users. Each of 200 users
// watches 50 films in circular order: the next film nine times out of ten, else a random one.

import { createRandom } from 'ren-recommender'
import { createEngine } from 'ren-recommender/kernels'
import { adam, createSequenceModel, gru4rec, softmax, train } from 'ren-recommender/models'

const films = Array.from({ length: 50 }, (_, film) => `film ${film}`)
const random = createRandom('train-and-recommend')
const histories = Array.from({ length: 200 }, () => {
  const items = new Int32Array(20)
  items[0] = random.integer(films.length)
  for (let i = 1; i < items.length; i++) {
    const stride = random.uniform() < 0.9 ? 1 : random.integer(films.length)
    items[i] = (items[i - 1]! + stride) % films.length
  }
  const times = Float64Array.from(items, (_, event) => event * 60_000)
  return { items, rewards: new Float32Array(items.length).fill(1), times }
})

const engine = await createEngine()
const model = createSequenceModel(engine, gru4rec(), films.length, random.fork('model'))
const optimizer = adam(engine, model.workspace, { rate: 0.01 })
const schedule = { epochs: 10, batchSize: 32, random, clock: () => performance.now() }
for (const progress of train(model, histories, { loss: softmax(), optimizer, ...schedule })) {
  const { epoch, step, steps, loss } = progress
  if (step === steps) console.log(`epoch ${epoch}: loss ${loss.toFixed(3)}`)
}

const history = histories[0]!
const user = engine.vector('user', model.dimension) // θ
model.userEmbedding(history, user.values)
const scores = engine.vector('scores', films.length)
engine.operations.dotRows({ x: model.itemEmbeddings, vector: user, out: scores })
const { values } = scores
const best = [...values.keys()].toSorted((a, b) => values[b]! - values[a]!).slice(0, 5)
console.log(`history: … ${Array.from(history.items.slice(-3), (film) => films[film]).join(', ')}`)
console.log(`recommended: ${best.map((film) => films[film]).join(', ')}`)
