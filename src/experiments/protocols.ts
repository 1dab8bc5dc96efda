// The protocols that a plan can name.

import type { Protocol } from './protocol.ts'
import { race } from './race.ts'
import { regret } from './regret.ts'
import { slates } from './slates.ts'

export const protocols: Readonly<Record<string, Protocol>> = { race, regret, slates }
