// The protocols of the package. A folder of plans may bring others (registry.ts).

import type { Protocol } from './protocol.ts'
import { race } from './race.ts'

export const protocols: Readonly<Record<string, Protocol>> = { race }
