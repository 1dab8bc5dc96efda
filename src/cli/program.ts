// The commands of `ren`, one file each, in the order of its help.

import { readFileSync } from 'node:fs'

import { Command } from 'commander'

import { addBackup, addRestore } from './backup.ts'
import { addCheck } from './check.ts'
import { addEvaluate } from './evaluate.ts'
import { examples } from './examples.ts'
import { addExport } from './export.ts'
import { addImport } from './import.ts'
import { addKey } from './key.ts'
import { addReproduce } from './reproduce.ts'
import { addServe } from './serve.ts'
import { addSimulate } from './simulate.ts'
import { addTrain } from './train.ts'

const manifest = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string }

/** Runs nothing until `parse` is called. */
export function createProgram(): Command {
  const program = new Command('ren')
    .description(
      'An exploration-aware sequential recommender that learns while it serves ' +
        '(Recurrent Exploration Networks).',
    )
    .version(manifest.version)
    .showHelpAfterError('(ren --help lists the commands)')
    .addHelpText(
      'after',
      `
Start here:
  ren serve                            start a service with a live demo and a dashboard
  ren train --events log.csv --out m   train a model on your own log
  ren COMMAND --help                   show all options of a command, with examples

Every command that prints results accepts --json. Progress goes to standard error. Ctrl-C saves
completed work; a second Ctrl-C kills the process.

Exit codes: 0 success; 1 refused or failed, with a code of docs/errors.md at the end of the message;
130 interrupted, with completed work saved or printed.`,
    )

  program.commandsGroup('Serve:')
  addServe(program)
  addImport(program)
  addExport(program)
  addBackup(program)
  addRestore(program)
  addKey(program)
  program.commandsGroup('Models:')
  addTrain(program)
  addEvaluate(program)
  program.commandsGroup('Experiments:')
  addSimulate(program)
  addReproduce(program)
  program.commandsGroup('This machine:')
  addCheck(program)
  program.addHelpCommand(
    new Command('help')
      .argument('[command]')
      .description('show the options of a command')
      .helpGroup('This machine:'),
  )
  for (const command of program.commands) addExamples(command)
  return program
}

function addExamples(command: Command): void {
  const lines = examples[command.name()]
  if (lines) command.addHelpText('after', ['', 'Examples:', ...lines.map(indented)].join('\n'))
}

const indented = (line: string): string => `  ${line}`
