// Recommends, observes and fine-tunes in ten lines. Ann likes cocoa, which REN has to find out.
import { createMethod } from 'ren-recommender'
import { createEngine } from 'ren-recommender/kernels'
const itemNames = ['tea', 'coffee', 'cocoa', 'water', 'juice', 'milk']
const recommender = createMethod(await createEngine(), 'ren-g', { itemNames, seed: 1 })
for (let time = 1; time <= 30; time++) {
  const { items: slate } = recommender.recommend({ user: 'ann', count: 2 })
  const items = slate.map(({ item }) => ({ item, reward: Number(item === 'cocoa') }))
  recommender.observe({ kind: 'recommendation', user: 'ann', items, time })
  recommender.fineTune()
}
console.log(recommender.recommend({ user: 'ann', count: 1 }).items[0])
