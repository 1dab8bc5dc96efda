#!/usr/bin/env node
// The `ren` command: one file a subcommand, wired here.

import { readFileSync } from 'node:fs'

import { Command } from 'commander'

import { RenError } from '../core/errors.ts'
import { addBackup, addRestore } from './backup.ts'
import { addCheck } from './check.ts'
import { addEvaluate } from './evaluate.ts'
import { addExport } from './export.ts'
import { addImport } from './import.ts'
import { addKey } from './key.ts'
import { addMakeData } from './make-data.ts'
import { addReproduce } from './reproduce.ts'
import { addRace } from './race.ts'
import { addServe } from './serve.ts'
import { addSimulate } from './simulate.ts'
import { addTrain } from './train.ts'

const manifest = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string }

const program = new Command('ren')
  .description('An exploration-aware sequential recommender that learns while it serves.')
  .version(manifest.version)
  .showHelpAfterError('(ren --help lists the commands)')
addServe(program)
addImport(program)
addExport(program)
addBackup(program)
addRestore(program)
addKey(program)
addCheck(program)
addRace(program)
addSimulate(program)
addTrain(program)
addEvaluate(program)
addReproduce(program)
addMakeData(program)

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof RenError)) throw error
  console.error(`ren: ${error.message} (${error.code})`)
  process.exitCode = 1
}
