// Adds a policy: a softmax over relevance that reports the probability of each pick. A higher
// temperature explores more. The policy works with every model, because createSlatePolicy checks the
// request, selects the candidates and computes relevance.

import { createMethod } from 'ren-recommender'
import { createSlatePolicy } from 'ren-recommender/exploration'
import { createEngine } from 'ren-recommender/kernels'

const engine = await createEngine()
const temperature = 0.3

const softmaxPolicy = createSlatePolicy(engine, 'softmax', (request) => {
  const { decision, candidates, relevance, count } = request
  const left = [...candidates.rows]
  return Array.from({ length: count }, () => {
    const max = Math.max(...left.map((row) => relevance[row]!))
    const weights = left.map((row) => Math.exp((relevance[row]! - max) / temperature))
    const total = weights.reduce((sum, weight) => sum + weight)
    let rest = decision.random.uniform() * total
    const found = weights.findIndex((weight) => (rest -= weight) < 0)
    const place = found < 0 ? left.length - 1 : found // rounding can leave a rest after the last
    const [row] = left.splice(place, 1)
    return { row: row!, score: relevance[row!]!, propensity: weights[place]! / total }
  })
})

const itemNames = ['tea', 'coffee', 'cocoa', 'water', 'juice']
const recommender = createMethod(engine, 'gru4rec', { itemNames, seed: 1, policy: softmaxPolicy })
recommender.observe({ kind: 'interaction', user: 'ann', item: 'tea', reward: 1, time: 0 })
for (let round = 0; round < 10; round++) recommender.fineTune()
for (let requestNumber = 0; requestNumber < 3; requestNumber++) {
  const { items } = recommender.recommend({ user: 'bob', count: 2, requestNumber })
  const picks = items.map(
    ({ item, propensity }) => `${item} (probability ${propensity?.toFixed(2)})`,
  )
  console.log(picks.join(', then '))
}
