// The settings of the killed service. It trains and saves often, so that a kill can interrupt either.

import type { ServiceSettings } from 'ren-recommender/service'
import type { EventStore } from 'ren-recommender/storage'

export const serviceSettings = (store: string | EventStore): ServiceSettings => ({
  store,
  variants: [
    { name: 'ren', method: 'ren-g', settings: { dimension: 8 } },
    { name: 'greedy', method: 'gru4rec', settings: { dimension: 8 } },
  ],
  learning: { everyEvents: 100, everySeconds: 0.2 },
  snapshots: { everyEvents: 200, everySeconds: 0.3 },
  onLogMessage: () => {},
})
