// A demo for tests, in which nothing happens.

import type { Demo, DemoControl } from 'ren-recommender/service'

export function testDemo(): DemoControl {
  let state: Demo['state'] = 'running'
  const variant = { variant: 'ren 1', policy: 'REN', seed: 1, at: [10], reward: [0.5], regret: [2] }
  return {
    describe: () => ({ state, world: 'three shelves', rounds: 100, variants: [variant] }),
    set(next) {
      state = next
    },
  }
}
