// The protocols that the plans of this folder can name: `ren reproduce` loads them from here.

import { createRace } from '../../src/experiments/race.ts'
import { worlds } from '../../src/experiments/worlds/index.ts'
import { counters } from '../counters/methods.ts'
import { trivagoGenerated } from '../generated/trivago-world.ts'
import { impressions } from '../impressions/world.ts'
import { supRenOf } from '../regret/sup-ren-method.ts'
import { regret } from '../regret/regret.ts'
import { slates } from '../slates/slates.ts'
import { mind } from '../worlds/mind.ts'
import { ml1m } from '../worlds/ml-1m.ts'

/** What plans can name besides the worlds and methods of the package. */
export const known = {
  worlds: { ...worlds, 'ml-1m': ml1m, mind, impressions, 'trivago-generated': trivagoGenerated },
  methods: {
    names: [...Object.keys(counters), 'model+sup-ren'],
    find: (name: string) => (Object.hasOwn(counters, name) ? counters[name] : supRenOf(name)),
  },
}

export const protocols = { race: createRace(known), regret, slates }
