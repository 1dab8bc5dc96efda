// `ren reproduce` with the random walks of walk-protocol.ts as its only protocol.

import { Command } from 'commander'
import { addReproduce } from '../src/cli/reproduce.ts'
import { walkRegistry } from './walk-protocol.ts'

const program = new Command('ren')
addReproduce(program, walkRegistry)
await program.parseAsync()
