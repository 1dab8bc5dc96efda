// A policy of one's own: softmax over relevance, the hotter the more curious, with the chance of
// each pick. It fits every model; checks, candidates and explanations come with the frame.

import { createPreset } from 'ren-recommender'
import { createSlatePolicy } from 'ren-recommender/exploration'
import { createEngine } from 'ren-recommender/kernels'

const engine = await createEngine()
const temperature = 0.3

const softmaxPolicy = createSlatePolicy(engine, 'softmax', (request) => {
  const { decision, candidates, relevance, count } = request
  const left = [...candidates.rows]
  return Array.from({ length: count }, () => {
    const most = Math.max(...left.map((row) => relevance[row]!))
    const weights = left.map((row) => Math.exp((relevance[row]! - most) / temperature))
    const total = weights.reduce((sum, weight) => sum + weight)
    let rest = decision.random.uniform() * total
    const at = weights.findIndex((weight) => (rest -= weight) < 0)
    const place = at < 0 ? left.length - 1 : at // where rounding used up the rest
    const [row] = left.splice(place, 1)
    return { row: row!, score: relevance[row!]!, propensity: weights[place]! / total }
  })
})

const itemNames = ['tea', 'coffee', 'cocoa', 'water', 'juice']
const recommender = createPreset(engine, 'gru4rec', { itemNames, seed: 1, policy: softmaxPolicy })
recommender.observe({ kind: 'interaction', user: 'ann', item: 'tea', reward: 1, time: 0 })
for (let round = 0; round < 10; round++) recommender.fineTune()
for (let requestNumber = 0; requestNumber < 3; requestNumber++) {
  const { items } = recommender.recommend({ user: 'bob', count: 2, requestNumber })
  const picks = items.map(({ item, propensity }) => `${item} (chance ${propensity?.toFixed(2)})`)
  console.log(picks.join(', then '))
}
