// The commands of `ren` in the order of the help, with examples.

import { readFileSync } from 'node:fs'
import { Command } from 'commander'

import { addBackup, addCopy, addRestore } from './backup.ts'
import { addCheck } from './check.ts'
import { addEvaluate } from './evaluate.ts'
import { addExport } from './export.ts'
import { addImport } from './import.ts'
import { addKey } from './key.ts'
import { addMethods } from './methods.ts'
import { addReproduce } from './reproduce.ts'
import { addServe } from './serve.ts'
import { addSimulate } from './simulate.ts'
import { addTrain } from './train.ts'

/** Examples at the end of each command's help. A test checks that they parse. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  serve: [
    'ren serve                                    # with a live demo',
    'ren serve --no-demo                          # your own data, in ./data/ren.db',
    'ren serve --store postgres://ren@localhost/shop --schema recommendations',
    'ren serve --catalog items.csv --events log.csv',
    'ren serve --catalog ml-1m/movies.dat --events ml-1m/ratings.dat --reward 1',
    'ren serve --events log.csv --model-file model.safetensors',
    'ren serve --method sasrec+ren --set explorationWeight=0.3',
  ],
  import: [
    'ren import --events log.csv --catalog items.csv',
    'ren import --events clicks.jsonl.gz --time-unit seconds --skip-bad-rows',
  ],
  export: [
    'ren export > log.jsonl',
    'ren export --after 120000 --kind interaction --out new.jsonl',
    'ren export --items --out items.jsonl',
    'ren export --model learned.safetensors',
  ],
  backup: ['ren backup --out /backup/monday.db'],
  restore: ['ren restore --from /backup/monday.db --store ./data/ren.db'],
  copy: ['ren copy --from ./data/ren.db --to postgres://ren@localhost/shop'],
  key: [
    'ren key create --name shop --scope recommend,events',
    'ren key list --json',
    'ren key revoke 1f0c',
  ],
  train: [
    'ren train --events log.csv --out model.safetensors',
    'ren train --events log.csv --model sasrec --out m.safetensors --epochs 20 --threads 2',
  ],
  evaluate: [
    'ren evaluate --events log.csv --model-file model.safetensors',
    'ren evaluate --events log.csv --split time=0.1 --json',
  ],
  methods: [
    'ren methods                                  # list presets, models and policies',
    'ren methods sasrec+ren                       # list the settings of a method',
  ],
  simulate: [
    'ren simulate --world syn-s --method ren-g --feedback shown --seed 7',
    'ren simulate --world syn-m --method sasrec+ren --set explorationWeight=0.3 --json',
  ],
  reproduce: [
    'ren reproduce                                # list the experiments',
    'ren reproduce syn-s                          # run or resume one',
    'ren reproduce all --quick                    # run all of them, small',
    'ren reproduce syn-s --check                  # repeat a few runs and compare',
  ],
  check: ['ren check --json'],
}

const manifest = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string }

const groups: Readonly<Record<string, readonly ((program: Command) => void)[]>> = {
  'Serve:': [addServe, addImport, addExport, addBackup, addRestore, addCopy, addKey],
  'Models:': [addTrain, addEvaluate, addMethods],
  'Experiments:': [addSimulate, addReproduce],
  'This machine:': [addCheck],
}

/** Runs nothing until `parse` is called. */
export function createProgram(): Command {
  const program = new Command('ren')
    .description(
      'An exploration-aware sequential recommender that learns while it serves ' +
        '(Recurrent Exploration Networks).',
    )
    .version(manifest.version)
    .addHelpText(
      'after',
      `
Start here:
  ren serve                            start a service with a live demo and a dashboard
  ren train --events log.csv --out m   train a model on your own log
  ren COMMAND --help                   show all options of a command, with examples

Every command that prints results accepts --json. Progress goes to standard error. Ctrl-C saves
completed work, and so does SIGTERM; a second Ctrl-C kills the process.

Exit codes: 0 success; 1 refused or failed, with a code of docs/errors.md at the end of the message;
130 interrupted, with completed work saved or printed.`,
    )

  for (const [title, commands] of Object.entries(groups)) {
    program.commandsGroup(title)
    for (const addCommand of commands) addCommand(program)
  }
  program.addHelpCommand(
    new Command('help')
      .argument('[command]')
      .description('show the options of a command')
      .helpGroup('This machine:'),
  )
  for (const command of program.commands) addExamples(command)
  pointToHelp(program, 'ren')
  return program
}

/** Errors in options point to the help of their command. */
function pointToHelp(command: Command, path: string): void {
  const what = command.commands.length > 0 ? 'commands' : 'options'
  command.showHelpAfterError(`(${path} --help lists the ${what})`)
  for (const one of command.commands) pointToHelp(one, `${path} ${one.name()}`)
}

function addExamples(command: Command): void {
  const lines = examples[command.name()]
  if (lines) command.addHelpText('after', `\nExamples:\n  ${lines.join('\n  ')}`)
}
