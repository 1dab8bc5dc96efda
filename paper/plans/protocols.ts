// The protocols that the plans of this folder can name: `ren reproduce` loads them from here.

import { createRace } from '../../src/experiments/race.ts'
import { worlds } from '../../src/experiments/worlds/index.ts'
import { trivagoGenerated } from '../generated/trivago-world.ts'
import { supRen } from '../regret/sup-ren-method.ts'
import { regret } from '../regret/regret.ts'
import { slates } from '../slates/slates.ts'

export const protocols = {
  race: createRace({
    worlds: { ...worlds, 'trivago-generated': trivagoGenerated },
    methods: { 'sup-ren': supRen },
  }),
  regret,
  slates,
}
