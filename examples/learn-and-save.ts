// Recommends, observes what the user chose, and fine-tunes; then adds an item, saves and restores.
// The simulated user, Ann, likes films with an even number, which REN has to find out.

import { createMethod, recommenderSettings, restoreRecommender, slateItems } from 'ren-recommender'
import { createEngine } from 'ren-recommender/kernels'

const films = Array.from({ length: 40 }, (_, film) => `film ${film}`)
const liked = new Set(films.filter((_, film) => film % 2 === 0))

const engine = await createEngine()
const recommender = createMethod(engine, 'ren-g', { itemNames: films, seed: 1 })
for (let time = 1; time <= 10; time++) {
  const shown = recommender.recommend({ user: 'ann', count: 5 }).items.map(({ item }) => item)
  const chosen = shown.filter((film) => liked.has(film))
  const rewards = shown.map((film) => Number(liked.has(film)))
  recommender.observe({
    kind: 'recommendation',
    user: 'ann',
    items: slateItems(shown, rewards),
    time,
  })
  for (const item of chosen) {
    recommender.observe({ kind: 'interaction', user: 'ann', item, reward: 1, time })
  }
  recommender.fineTune()
  console.log(`round ${time}: chose ${chosen.length} of ${shown.join(', ')}`)
}

// Add a film without training, save the recommender as one file, and restore it.
recommender.addItems(['film 40'], { like: ['film 38'] })
const settings = recommenderSettings(engine, 'ren-g')
const restored = restoreRecommender(engine, recommender.save(), settings)
for (const pick of restored.recommend({ user: 'ann', count: 3 }).items) {
  const { item, relevance, diversity, uncertainty } = pick
  const terms = [relevance, diversity, uncertainty].map((term) => term.toFixed(2))
  console.log(`${item}: relevance ${terms[0]}, diversity ${terms[1]}, uncertainty ${terms[2]}`)
}
